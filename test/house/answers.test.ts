import { expect } from 'chai';
import { sourceFiles } from './source-files.ts';

describe('the tests', () => {
  it('hold every answer that they fetch against the OpenAPI document', () => {
    const tests = sourceFiles().filter(({ path }) => path.startsWith('test/') && !path.startsWith('test/bench/'));
    const fetching = tests.filter(({ text }) => /(?<![\w.`'/])fetch\(/.test(text)).map(({ path }) => path);
    expect(fetching).to.have.members(['test/support/http/checked-fetch.ts']);
  });
});
