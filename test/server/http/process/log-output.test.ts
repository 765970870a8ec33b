import { Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createLogOutput } from '../../../../server/http/process/log-output.ts';

describe('the output of the log', () => {
  it('drops and counts the lines that cannot be written, and tells how many once there is room', async () => {
    let full = false;
    let file = '';
    const told: number[] = [];
    const output = createLogOutput(
      {
        writableLength: 0,
        on: () => undefined,
        write(text, done) {
          if (full) return done(new Error('ENOSPC'));
          file += text;
          done();
        },
      },
      (dropped) => told.push(dropped),
    );
    output.write('one\n');
    full = true;
    output.write('two\n');
    output.write('three\n');
    expect(output.dropped).to.equal(2);
    full = false;
    output.write('four\n');
    output.write('five\n');
    // The empty line ends whatever the full disk took of a line.
    expect(file).to.equal('one\n\nfour\nfive\n');
    expect(told).to.deep.equal([2]);
  });

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
