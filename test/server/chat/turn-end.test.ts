import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { createTurnController } from '../../../server/chat/turn-end.ts';
import type { ModelResult } from '../../../server/model/anthropic-model.ts';

const result = { ending: 'aborted', error: null } as ModelResult;

describe('createTurnController', () => {
  it('aborts its signal for the first reason, and keeps that reason', () => {
    const { signal, abort, endOf } = createTurnController();
    expect(signal.aborted).to.equal(false);
    abort('sessionEnded');
    expect(signal.aborted).to.equal(true);
    abort('clientDisconnected');
    expect(endOf(result).error).to.include({ code: 'UNAUTHENTICATED' });
  });

  it('ignores a reason that comes after the provider has finished or failed', () => {
    const { abort, endOf } = createTurnController();
    abort('sessionEnded');
    expect(endOf({ ...result, ending: 'complete' })).to.include({ ending: 'complete', error: null });
    const error = new AppError('UPSTREAM_OVERLOADED');
    expect(endOf({ ...result, ending: 'failed', error })).to.include({ ending: 'failed', error });
  });
});
