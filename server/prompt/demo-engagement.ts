import type { EngagementState } from '../engagement/engagement-state.ts';

const organization = {
  name: 'Neverholm Pump Works',
  industry: 'Manufacturing: cast iron and stainless steel housings for industrial pumps',
  size: '420 people at three sites',
  sites: [
    { site: 'Foundry', work: 'Melts and casts: iron every day, stainless steel once a week.', people: 160 },
    { site: 'Machining', work: 'Turns, mills and pressure-tests, with four large machining centres.', people: 190 },
    { site: 'Assembly and dispatch', work: 'Fits seals and bearings, packs and ships.', people: 70 },
  ],
  customers: '38 pump makers, who place about 100 orders a week.',
};

const engagement: EngagementState = {
  week: 6,
  focus: 'Raise on-time delivery from 78% to 92% of orders without buying machines or hiring.',
  hypotheses: [
    {
      statement:
        'Changeovers, not a lack of machine hours, limit the output of large housings. Were this wrong, changeovers would take less than 10% of the hours scheduled on the four large machining centres.',
      status: 'supported',
      evidence: [
        'Week 3, timed on all four: 59 changeovers took 118 of 480 scheduled hours (25%), 2.0 hours each.',
        'Same week: the 14 changeovers with fixtures laid out beforehand took 1.1 hours each, the other 45 took 2.3.',
        'Week 5, trial on one of the four: with fixtures laid out a shift ahead, 15 changeovers took 18 hours, 1.2 each.',
      ],
    },
    {
      statement:
        'Casting stainless steel only once a week holds up castings and is behind more than a third of late orders.',
      status: 'refuted',
      evidence: [
        'Week 2: 66 of 264 late orders (25%) first fell behind waiting for a casting of any kind.',
        'Week 4: of those 66, only 18 were stainless steel; 48 were iron, which is cast every day.',
      ],
    },
    {
      statement:
        'Rush orders cost more punctuality than they bring: each one moved forward makes at least one other order late.',
      status: 'open',
      evidence: [
        'Weeks 2 to 5: 62 of 400 orders were moved forward, and 55 of them (89%) shipped on time.',
        'Same weeks: of the 338 orders not moved forward, 265 (78%) shipped on time. Which of them were displaced is not known.',
      ],
    },
    {
      statement:
        'Failed pressure tests come mainly from porous castings of the N series, so the remedy lies in the foundry and not in machining.',
      status: 'open',
      evidence: [
        'Weeks 1 to 4: 86 of 2,150 housings failed (4.0%). The N series made up 495 of the housings tested and 52 of the failures.',
        'Week 5: 20 of the 52 failed N housings were cut open; 13 were porous, 7 showed a machining error.',
      ],
    },
    {
      statement:
        'Part of the lateness is promised and not produced: sales quotes 20 working days for every housing, which large ones cannot meet.',
      status: 'open',
      evidence: [
        'Week 3: the median time from order to dispatch was 14 working days for small housings, 23 for large.',
      ],
    },
  ],
  unknowns: [
    {
      question: 'What would a second set of fixtures cost for the housings that are changed over to most often?',
      whyItMatters:
        'The week 5 trial borrowed fixtures from the other three machining centres, so all four cannot work that way at once.',
    },
    {
      question: 'Which orders does a rush order push past their promised date?',
      whyItMatters: 'Without it hypothesis 3 cannot be tested, and sales will not give up rush orders on a belief.',
    },
    {
      question: 'What does a late order cost in penalties, express freight and lost business?',
      whyItMatters:
        'It sets how much may be spent on fixtures, and whether a customer would rather have an honest later date.',
    },
    {
      question: 'How many scheduled hours do the large machining centres lose at shift handovers and in breaks?',
      whyItMatters:
        'They are counted as running hours. If the loss is near that of changeovers, there is a second lever beside them.',
    },
    {
      question: 'Do the failed N castings come from particular moulds or casting days?',
      whyItMatters: 'A pattern would point to the foundry without cutting open the remaining 32 housings.',
    },
  ],
  findings: [
    {
      statement: 'In the twelve weeks before the engagement, 936 of 1,200 orders shipped on time: 78%.',
      week: 1,
    },
    {
      statement:
        'Of the 264 late orders, 148 (56%) first fell behind at the large machining centres, 66 (25%) waiting for a casting, 29 (11%) in rework after a failed pressure test and 21 (8%) elsewhere.',
      week: 2,
    },
    {
      statement:
        'Changeovers take a quarter of the scheduled hours of the large machining centres: 118 of 480 in a week.',
      week: 3,
    },
    {
      statement:
        'The weekly stainless steel day is not a main cause of lateness: 18 of 264 late orders (7%) waited for it.',
      week: 4,
    },
    {
      statement:
        'Laying out fixtures a shift ahead cut changeovers on one large machining centre from 2.0 to 1.2 hours.',
      week: 5,
    },
  ],
};

/** The engagement of demo chat. The company and the figures are invented; the figures are consistent with each other. */
export const demoEngagement = { organization, engagement };
