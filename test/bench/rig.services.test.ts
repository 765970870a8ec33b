import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { contenderNames, contenders, openRig, type Rig } from '../../bench/rig.ts';

const shape = {
  reply: { deltas: 3, deltaCharacters: 20, paceMilliseconds: 1 },
  streams: 4,
  concurrency: 2,
  spacingMilliseconds: 0,
};

describe('npm run bench', () => {
  let rig: Rig;

  before(async () => {
    rig = await openRig({ users: 2 });
  });
  after(() => rig?.close());

  for (const name of contenderNames) {
    it(`receives the provider's reply, in its original chunks, from the ${contenders[name].label}`, async () => {
      const contender = await rig.start(name);
      try {
        const { exchanges, replyTimes } = await rig.run(contender, shape);
        expect(exchanges).to.have.lengthOf(shape.streams);
        expect(replyTimes).to.have.lengthOf(shape.streams);
      } finally {
        await contender.stop();
      }
    });
  }
});
