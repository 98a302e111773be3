import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { runFolder } from '../support/run/test-run.ts';
import { sourceFiles, sourceRoot } from './source-files.ts';

describe('A run of the tests', () => {
  before(function () {
    // A test file that is run without the fixtures of the run stays where it was started.
    if (runFolder() === undefined) this.skip();
  });

  it('has a folder of its own outside the checkout, where no service has left its store or vault key', () => {
    expect(relative(sourceRoot, process.cwd())).to.match(/^\.\./);
    expect(process.env['HOME']).to.equal(process.cwd());
  });

  it('knows none of the caller’s environment but where programs are found, and its own options', () => {
    const allowed = /^(?:PATH|HOME|TMPDIR|TERM|(?:SIM|KILL|FUZZ)_SEED|HORARIUM_TEST_\w+|MOCHA_\w+|NODE_\w+)$/;
    expect(Object.keys(process.env).filter((name) => !allowed.test(name))).to.deep.equal([]);
  });

  it('follows a start of the service in the same checkout, when .ci/run checks it', () => {
    const script = readFileSync(join(sourceRoot, '.ci', 'run'), 'utf8');
    const steps = [...script.matchAll(/^(start_and_stop|node .*run-suite\.js) /gm)].map(([, step]) => step);
    expect(steps).to.deep.equal(['start_and_stop', 'node dist/test/support/run/run-suite.js']);
  });

  it('listens on free ports only', () => {
    const fixed = sourceFiles()
      .filter(
        ({ path, text }) => path.startsWith('test/') && /\.listen\([1-9]|\bserve\b[^\n]*--port[ ',]+[1-9]/.test(text),
      )
      .map(({ path }) => path);
    expect(fixed).to.deep.equal([]);
  });
});
