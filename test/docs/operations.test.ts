import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readDocument, readText } from '../support/document.ts';
import { startOptions } from '../support/served-process.ts';

describe('the operations guide', () => {
  it('starts Node with the options that npm start and the image give it', () => {
    expect(startOptions).not.to.be.empty;
    const command = ['node', ...startOptions, 'server/main.ts'];
    expect(readText('Dockerfile')).to.include(`CMD ${JSON.stringify(command).replaceAll(',', ', ')}`);
    expect(readDocument('docs/operations.md').codeUnder('### With Node', 'bash')).to.include(command.join(' '));
  });
});
