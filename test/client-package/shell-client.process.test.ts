import { expect } from 'chai';
import { describe, it } from 'mocha';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { root } from '../support/served-process.ts';
import { checkCommand } from './check-command.ts';

describe('A client in a shell with curl', function () {
  this.timeout(180_000);

  it('passes all cases of the client package', async () => {
    const result = await checkCommand(['bash', 'test/client-package/shell-client.sh'], root, 40);
    expect(result).to.deep.equal({ failed: [], summary: `${retryCases.length} of ${retryCases.length} cases pass.` });
  });
});
