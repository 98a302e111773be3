import { expect } from 'chai';
import { sourceFiles } from './source-files.ts';

describe('The tests', () => {
  it('compare every response that they fetch with the OpenAPI document', () => {
    const tests = sourceFiles().filter(({ path }) => path.startsWith('test/') && !path.startsWith('test/bench/'));
    const fetching = tests.filter(({ text }) => /(?<![\w.`'/])fetch\(/.test(text)).map(({ path }) => path);
    expect(fetching).to.have.members(['test/support/http/checked-fetch.ts']);
  });
});
