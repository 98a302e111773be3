import { expect } from 'chai';
import { sourceFiles } from './source-files.ts';

describe('The tests', () => {
  it('compare every response that they fetch with the OpenAPI document', () => {
    // The benches have no document at hand, and the examples call no service of ours.
    const checked = /^test\/(?!bench\/|examples\/)/;
    const tests = sourceFiles().filter(({ path }) => checked.test(path));
    const fetching = tests.filter(({ text }) => /(?<![\w.`'/])fetch\(/.test(text)).map(({ path }) => path);
    expect(fetching).to.have.members(['test/support/http/checked-fetch.ts']);
  });
});
