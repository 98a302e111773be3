import { type Clause, executorContract, formatContract } from '@horarium/core/contracts';
import type { AttemptReport, Executor, Format } from '@horarium/core/plugin';
import { expect } from 'chai';
import { systemClock } from '../../adapters/node/system-clock.ts';
import { formatJson } from '../../plugins/format-json/format-json.ts';

/** The messages of the clauses that an implementation breaks. */
async function complaints(clauses: readonly Clause[]): Promise<string[]> {
  const found = await Promise.all(
    clauses.map(({ check }) =>
      check().then(
        () => undefined,
        (error: Error) => error.message,
      ),
    ),
  );
  return found.filter((each) => each !== undefined);
}

describe('The contracts for authors of plugins', () => {
  const formats: readonly (readonly [what: string, broken: Partial<Format>, complaint: RegExp])[] = [
    ['a suffix with a dot before it', { suffix: '.json' }, /^A suffix is letters and digits.*it was "\.json"$/],
    ['a content type that is none', { mime: 'json' }, /^A content type must look like text\/plain; it was "json"$/],
    [
      'data that gets lost',
      { write: () => '{}' },
      /^The data that is read back must be the data that was written; it was \{\}$/,
    ],
    [
      'data that is changed',
      { write: (value) => String(Object.assign(value as object, { a: 1 })) },
      /read only|not extensible/,
    ],
    ['an answer that is never the same', { write: () => String(Math.random()) }, /^Two responses with the same data/],
    ['a header of two lines', { headers: () => ({ 'X-A': 'b\nc' }) }, /^A header must be plain text in one line/],
    [
      'a whole list that ends too early',
      {
        writeList: () =>
          (async function* () {
            yield '[]';
          })(),
      },
      /^The data that is read back/,
    ],
  ];
  for (const [what, broken, complaint] of formats)
    it(`find ${what}`, async () => {
      const found = await complaints(
        formatContract({ ...formatJson, ...broken }, { read: (text) => JSON.parse(text) }),
      );
      expect(
        found.some((each) => complaint.test(each)),
        found.join('\n'),
      ).to.equal(true);
    });

  it('accept an executor that reports both streams as stdout only where that is said', async () => {
    const executor: Executor = {
      name: 'merged',
      options: {},
      start: (_attempt, report) => ({ done: run(report), stop() {} }),
    };
    const run = async (report: AttemptReport) => {
      report.started({ pid: null });
      await report.output('stdout', Buffer.from('outerr'));
      return { exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: systemClock.now(), files: [] };
    };
    const program = { executable: 'x', arguments: [] };
    const programs = {
      ...{ succeeds: program, fails: program, writes: program },
      ...{ writesMuch: program, runsOn: program, isMissing: program },
    };
    const complaint = 'All output must have come, each to its stream; it was {"stdout":"outerr","stderr":""}';
    const make = () => ({ executor, programs });
    expect(await complaints(executorContract(make, systemClock))).to.include(complaint);
    expect(await complaints(executorContract(make, systemClock, { mergesStderr: true }))).not.to.include(complaint);
  });

  it('find an executor that starts nothing and reports success', async () => {
    const done = async () => ({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    const executor: Executor = { name: 'idle', options: {}, start: () => ({ done: done(), stop() {} }) };
    const program = { executable: 'x', arguments: [] };
    const programs = {
      ...{ succeeds: program, fails: program, writes: program },
      ...{ writesMuch: program, runsOn: program, isMissing: program },
    };
    expect(await complaints(executorContract(() => ({ executor, programs }), systemClock))).to.deep.equal([
      'finishedAt must be when it ended; it was 0',
      'A program that fails must end with its exit code 3; it was {"exitCode":0,"signal":null,"timedOut":false,"reason":null,"finishedAt":0,"files":[]}',
      'A program that is missing must end with exit code 127; it was 0',
      'All output must have come, each to its stream; it was {"stdout":"","stderr":""}',
      'All output must have come; it was "0 bytes"',
      'The reason must say why output could not be taken; it was null',
      'A stopped attempt must end with the reason it was first given, and not with 0; it was {"exitCode":0,"signal":null,"timedOut":false,"reason":null,"finishedAt":0,"files":[]}',
      'A stopped attempt must end with the reason it was given; it was null',
      'An attempt that takes too long must end as timed out',
      `Each of 50 attempts must end with its own exit code; it was [${Array(50).fill(0)}]`,
    ]);
  });
});
