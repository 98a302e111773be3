import { expect } from 'chai';
import { FixtureSuite } from './fixture-suite.ts';

/** Runs `statement` the first time that the file is run, and never again. */
const once = (statement: string) => `
import { existsSync, writeFileSync } from 'node:fs';
const seen = import.meta.filename + '.seen';
const isFirst = !existsSync(seen);
writeFileSync(seen, '');
const failing = () => { if (isFirst) ${statement} };`;

const always = (statement: string) => `const failing = () => ${statement};`;
const error = `{ throw new Error('broken\\nlines'); }`;
const death = `process.kill(process.pid, 'SIGKILL')`;

/** One file for each way to fail, with a test that passes beside what fails. */
const files = (prefix: (statement: string) => string): Record<string, string> => ({
  test: `${prefix(error)} it('passes', () => {}); it('fails', failing);`,
  after: `${prefix(error)} describe('a group', () => { after(() => failing()); it('passes', () => {}); });`,
  root: `${prefix(error)} before(() => failing()); it('passes', () => {});`,
  load: `${prefix(error)} failing(); it('passes', () => {});`,
  crash: `${prefix(death)} it('passes', async () => { failing(); await null; });`,
});

/** What the list with that heading holds. */
const listed = (out: string, heading: string) =>
  (out.split(`\n${heading}:\n`)[1] ?? '')
    .split('\n\n')[0]
    ?.split('\n')
    .map((line) => line.trim())
    .sort() ?? [];

const lastLine = (out: string) => out.trimEnd().split('\n').at(-1);

describe('The run of the suite', () => {
  it('passes with what fails only once, a hook, a file or a process as well, and names it as unsteady', async () => {
    using suite = new FixtureSuite({
      ...files(once),
      green: `it('passes', () => {}); it.skip('is skipped', () => {});`,
    });
    const { code, out } = await suite.run();
    expect(listed(out, 'Unsteady: failed beside other tests, passed alone'), out).to.deep.equal([
      'after.test.js: a group "after all" hook for "passes": broken',
      'crash.test.js: Uncaught error outside test suite: Workerpool Worker terminated Unexpectedly',
      'load.test.js: Uncaught error outside test suite: broken',
      'root.test.js: "before all" hook for "passes": broken',
      'test.test.js: fails: broken',
    ]);
    expect(out).to.not.include('Failed twice');
    expect([code, lastLine(out)]).to.deep.equal([0, '7 passed, 0 failed, 1 skipped']);
  });

  it('fails with what fails twice, and names it', async () => {
    using suite = new FixtureSuite({ ...files(always), green: `it('passes', () => {});` });
    const { code, out } = await suite.run();
    expect(listed(out, 'Failed twice'), out).to.deep.equal([
      'after.test.js: a group "after all" hook for "passes": broken',
      'crash.test.js: Uncaught error outside test suite: Workerpool Worker terminated Unexpectedly',
      'load.test.js: Uncaught error outside test suite: broken',
      'root.test.js: "before all" hook for "passes": broken',
      'test.test.js: fails: broken',
    ]);
    expect(out).to.not.include('Unsteady');
    expect([code, lastLine(out)]).to.deep.equal([1, '3 passed, 5 failed, 0 skipped']);
  });

  const withFixtures = async (fixtures: string) => {
    using suite = new FixtureSuite({ green: `it('passes', () => {});` }, fixtures);
    const { code, out } = await suite.run();
    return [code, lastLine(out)];
  };

  it('fails when mocha ends before it has results', async () => {
    const ends = `export const mochaGlobalSetup = () => process.exit(0);`;
    expect(await withFixtures(ends)).to.deep.equal([1, 'Mocha ended before it had results.']);
  });

  it('fails when the global fixtures fail', async () => {
    const fails = `export const mochaGlobalTeardown = () => { throw new Error('left'); };`;
    expect(await withFixtures(fails)).to.deep.equal([1, '1 passed, 1 failed, 0 skipped']);
  });
});
