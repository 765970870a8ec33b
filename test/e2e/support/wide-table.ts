export const wideTable = [
  '| Plant | Owner | What is done | Cost | Risk | Where | Days | Next step | Who helps | Note | Share | Address |',
  `|${'---|'.repeat(12)}`,
  '| North | Team of Ms Weber | Move castings at once | 1,200 | Not a high one | First hall, left | 12 | Ask the smelter | Both shift leads | To be seen soon | 12 % | x |',
  `| South | Team of Mr Brandt | Mend the old crane | 900 | Rather high now | Second hall | 3 | Order the parts | No one so far | Done by next May | 5 % | ${'reports'.repeat(13).slice(0, 90)} |`,
].join('\n');
