import { Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createLogOutput } from '../../../server/http/logger.ts';

describe('the output of the log', () => {
  it('drops and counts the lines that come while a reader has stalled', async () => {
    let goOn: () => void = () => undefined;
    const read: number[] = [];
    const stalled = new Writable({
      decodeStrings: false,
      write(line: string, _encoding, done) {
        read.push(line.length);
        goOn = done;
      },
    });
    const told: number[] = [];
    const output = createLogOutput(stalled, (dropped) => told.push(dropped));
    const half = 'x'.repeat(600_000);
    for (let line = 0; line < 5; line += 1) output.write(half);
    expect(output.dropped).to.equal(3);
    expect(stalled.writableLength).to.equal(1_200_000);
    for (let line = 0; line < 2; line += 1) {
      goOn();
      await nextRound();
    }
    expect(read).to.deep.equal([600_000, 600_000]);
    expect(told).to.deep.equal([3]);
  });
});
