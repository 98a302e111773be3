import { expect } from 'chai';
import { sourceFiles } from './source-files.ts';

/** Where something is fetched that the service as it is delivered does not answer. */
const others = [
  // A format that the test brings with it.
  'test/host/serve/serve.test.ts',
];

describe('the tests', () => {
  it('hold every answer that they fetch against the OpenAPI document', () => {
    const tests = sourceFiles().filter(({ path }) => path.startsWith('test/') && !path.startsWith('test/bench/'));
    const fetching = tests.filter(({ text }) => /(?<![\w.`'/])fetch\(/.test(text)).map(({ path }) => path);
    expect(fetching).to.have.members([...others, 'test/support/checked-fetch.ts']);
  });
});
