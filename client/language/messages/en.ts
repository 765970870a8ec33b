import { signInProblems } from '../../../shared/session.ts';

/**
 * What the interface says, in ICU MessageFormat, by the part of the page that says it. The other languages say all of the
 * same, or they do not compile; a message is given exactly the values that it names here, or its caller does not compile.
 */
export const messages = {
  complaints: {
    companyName: 'The company name',
    companySize: 'The company size',
    focus: 'The focus',
    hypothesis: 'A hypothesis',
    industry: 'The industry',
    needed: '{what} is needed.',
    role: 'Your role',
    tooLong: '{what} can have at most {most, number} {most, plural, one {character} other {characters}}.',
    tooMany: 'At most {most, number} entries.',
    unknown: 'An unknown',
  },
  firstQuestions: {
    focus: 'What would be a good first step towards this: “{quoted}”?',
    general: 'Which hypotheses would you start with at {organization}, and how would we test them?',
    hypothesis: 'How do we test this first: “{quoted}”?',
    unknown: 'How could we find this out within a week: “{quoted}”?',
  },
  hypotheses: {
    add: 'Add a hypothesis',
    entry: 'Hypothesis {number, number}',
    hint: 'What you believe to be true and want to test. For example: most of the lead time is waiting.',
    legend: 'Hypotheses',
    remove: 'Remove hypothesis {number, number}',
  },
  notFound: {
    heading: 'There is no such page',
    lead: 'The address may be mistyped, or the page has moved.',
    title: 'Not found · Advisory Chat',
    toDemo: 'Go to the demo',
  },
  onboarding: {
    companyName: 'Company name',
    companySize: 'Company size',
    focus: 'What the engagement is about',
    focusHint: 'For example: halve the lead time of spare parts by summer.',
    heading: 'Tell us about the engagement',
    industry: 'Industry',
    joining: 'You are joining <strong>{name}</strong>.',
    lead: 'Two minutes, and the assistant knows where you start. What you leave out can come up in the conversation.',
    lookAgain: 'Some fields need another look.',
    notTaken: 'The service did not take the form. Nothing is lost: try again in a moment.',
    oneMoment: 'One moment…',
    optional: 'optional',
    role: 'Your role',
    start: 'Start the engagement',
    title: 'Your engagement · Advisory Chat',
    tooManyForms:
      'Too many onboarding forms from your network. Nothing is lost. You can send it in <countdown></countdown>.',
  },
  page: {
    loading: 'Loading…',
    skipToContent: 'Skip to the content',
  },
  pageFailed: {
    heading: 'Something went wrong on this page',
    kept: 'What you typed is kept. Reload the page to go on.',
    reload: 'Reload the page',
    title: 'Something went wrong · Advisory Chat',
  },
  session: {
    offline: 'You are offline. What you type is kept.',
    trouble: 'The service has a problem',
    tryAgain: 'Try again',
    tryingAgain: 'Trying again…',
    unknown: 'We could not find out whether you are signed in. We keep trying, and you can try now.',
    unreachable: 'The service cannot be reached',
    unreachableNow: 'The service cannot be reached. What you type is kept.',
  },
  signIn: {
    continueWith: 'Continue with {provider}',
    heading: 'Sign in',
    invited: 'You have been invited: choose how to sign in.',
    justLooking: 'Just looking? <demo>Try the demo</demo> without an account.',
    lead: 'Work on your organization’s engagement.',
    noProvider: 'No way to sign in is set up on this service.',
    title: 'Sign in · Advisory Chat',
    wasRefused: 'You are no longer signed in. What you typed is kept: sign in to go on.',
    whatWeLearn: 'We learn your name and e-mail address, and keep no access to your account there.',
  },
  unknowns: {
    add: 'Add an unknown',
    entry: 'Unknown {number, number}',
    hint: 'What you do not know yet and need to find out. For example: what an hour of waiting costs.',
    legend: 'Unknowns',
    remove: 'Remove unknown {number, number}',
  },
  // One proposal on each line. Anything else can be typed as well.
  onboardingChoices: {
    companySize: '1 to 10 people\n11 to 50 people\n51 to 250 people\n251 to 1,000 people\nOver 1,000 people',
    industry:
      'Agriculture and food\nConstruction and real estate\nEducation\nEnergy and utilities\nFinancial services\nHealth care\nLogistics and transport\nManufacturing\nProfessional services\nPublic sector\nRetail and consumer goods\nSoftware and technology',
    role: 'Managing director\nHead of operations\nHead of finance\nHead of sales\nProject lead\nAdviser',
  },
  signInProblems,
  composer: {
    send: 'Send',
    stop: 'Stop',
    stopWithKey: 'Stop (Escape)',
    sendIn: 'Too many requests. Send in <countdown></countdown>',
  },
} as const;
