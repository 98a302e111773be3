import { functions, systemClock } from '@horarium/core';
import { type Clause, type ExecutorTraits, executorContract, type TestPrograms } from '@horarium/core/contracts';
import { type Attempt, type AttemptReport, defineExecutor, type Executor, text } from '@horarium/core/plugin';
import { expect } from 'chai';
import { violations } from '../../support/mocha/violations.ts';

const program = { executable: 'x', arguments: [] };
const requiredPrograms: TestPrograms = {
  succeeds: program,
  fails: program,
  writes: program,
  writesMebibyte: program,
  runsUntilStopped: program,
  missing: program,
};
const programs: TestPrograms = { ...requiredPrograms, echoesStdin: program, writesGreeting: program };

describe('The contract of executors', () => {
  it('accepts an executor that reports stderr as stdout only with mergesStderr', async () => {
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
    const violation = 'All output must arrive, each chunk on its own stream; it was {"stdout":"outerr","stderr":""}';
    const make = () => ({ executor, programs });
    expect(await violations(executorContract(make, systemClock))).to.include(violation);
    expect(await violations(executorContract(make, systemClock, { mergesStderr: true }))).not.to.include(violation);
  });

  it('rejects an executor that starts nothing and reports success, with a message for each violated clause', async () => {
    const done = async () => ({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    const executor: Executor = { name: 'idle', options: {}, start: () => ({ done: done(), stop() {} }) };
    const clauses = executorContract(() => ({ executor, programs }), systemClock, { closes: false });
    expect(await violations(clauses)).to.deep.equal([
      'finishedAt must be the time at which the program ended; it was 0',
      'A program that fails must end with its exit code 3; it was {"exitCode":0,"signal":null,"timedOut":false,"reason":null,"finishedAt":0,"files":[]}',
      'A program that is missing must end with exit code 127; it was 0',
      'All output must arrive, each chunk on its own stream; it was {"stdout":"","stderr":""}',
      'All output must arrive; it was "0 bytes"',
      'The reason must be why output was not stored; it was null',
      'A stopped attempt must end with the first reason given, and not with exit code 0; it was {"exitCode":0,"signal":null,"timedOut":false,"reason":null,"finishedAt":0,"files":[]}',
      'A stopped attempt must end with the reason given; it was null',
      'An attempt that exceeds its timeout must end as timed out',
      `Each of 50 attempts must end with its own exit code; it was [${Array(50).fill(0)}]`,
      'A program must read the stdin of its attempt; it was ""',
      'A program must read the environment variables of its attempt; it was ""',
    ]);
  });

  it('gives every attempt the options of the fixture, and names those that the executor requires and does not get', async () => {
    const seen: unknown[] = [];
    const done = async () => ({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    const executor = defineExecutor({
      name: 'sql',
      options: { database: text(100).required() },
      start: ({ options }) => {
        seen.push(options.database);
        return { done: done(), stop() {} };
      },
    });
    const clausesWith = (options?: object) => {
      const given = options ? { options: { ...options } } : {};
      const make = () => ({ executor: executor as Executor, programs, ...given });
      return executorContract(make, systemClock, { closes: false });
    };
    const [first] = await violations(clausesWith());
    expect(first).to.equal('The fixture must give the options of the executor sql, as options: database is required');
    expect(seen).to.deep.equal([]);
    await violations(clausesWith({ database: 'orders' }));
    expect(new Set(seen)).to.deep.equal(new Set(['orders']));
  });

  it('rejects an executor without close, except where the trait closes is false', async () => {
    const title = 'ends every attempt when it is closed, and starts none afterwards';
    const done = async () => ({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    const executor: Executor = { name: 'idle', options: {}, start: () => ({ done: done(), stop() {} }) };
    const clausesWith = (traits?: ExecutorTraits) =>
      executorContract(() => ({ executor, programs }), systemClock, traits).filter((clause) => clause.title === title);
    expect(await violations(clausesWith())).to.deep.equal([
      'An executor must have close, or be tested with the trait closes: false',
    ]);
    expect(clausesWith({ closes: false })).to.deep.equal([]);
  });
});

describe('The contract of executors with stdin, environment and keepAlive', () => {
  const functionPrograms = {
    ...programs,
    runsUntilStopped: { executable: 'runsUntilStopped', arguments: [] },
    echoesStdin: { executable: 'echoesStdin', arguments: [] },
    writesGreeting: { executable: 'writesGreeting', arguments: [] },
  };
  const titles = {
    stdin: 'gives a program the stdin of its attempt',
    environment: 'gives a program the environment of its attempt',
    keepAlive: 'lets an attempt run on when the lease is renewed',
  };

  /** Returns the clauses about what an attempt is given, for an executor of functions that is changed by `change`. */
  function clausesFor(
    change: (sound: Executor) => Partial<Executor>,
    traits?: ExecutorTraits,
    testPrograms: TestPrograms = functionPrograms,
  ): readonly Clause[] {
    const make = () => {
      const sound: Executor = functions({
        runsUntilStopped: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
        echoesStdin: ({ stdin, write }) => write(stdin ?? ''),
        writesGreeting: ({ environment, write }) => write(environment.GREETING ?? ''),
      });
      const close = () => sound.close?.() ?? Promise.resolve();
      return {
        executor: { name: sound.name, options: {}, start: sound.start.bind(sound), close, ...change(sound) },
        programs: testPrograms,
      };
    };
    return executorContract(make, systemClock, traits).filter(({ title }) => Object.values(titles).includes(title));
  }

  /** Changes what an executor gives to its programs. */
  const giving =
    (change: (attempt: Attempt) => Partial<Attempt>) =>
    (sound: Executor): Partial<Executor> => ({
      start: (attempt, report) => sound.start({ ...attempt, ...change(attempt) }, report),
    });
  const stdinViolated = /^A program must read the stdin of its attempt; it was "/;
  const environmentViolated = /^A program must read the environment variables of its attempt; it was "/;

  it('accepts an executor that gives programs the stdin and the environment', async () => {
    expect(await violations(clausesFor(() => ({})))).to.deep.equal([]);
  });

  const broken: readonly (readonly [what: string, change: (attempt: Attempt) => Partial<Attempt>, found: RegExp])[] = [
    ['drops the stdin', () => ({ stdin: null }), stdinViolated],
    ['trims the stdin', ({ stdin }) => ({ stdin: stdin?.trim() ?? null }), stdinViolated],
    ['drops the environment', () => ({ environment: {} }), environmentViolated],
    [
      'cuts the environment off at line ends',
      ({ environment: { GREETING = '' } }) => ({ environment: { GREETING: GREETING.split('\n')[0] ?? '' } }),
      environmentViolated,
    ],
  ];
  for (const [what, change, found] of broken)
    it(`rejects an executor that ${what}`, async () => {
      const [violation, ...others] = await violations(clausesFor(giving(change)));
      expect(violation).to.match(found);
      expect(others).to.deep.equal([]);
    });

  it('requires the programs that read the stdin and the environment, except where a trait is false', async () => {
    const sound = () => ({});
    expect(await violations(clausesFor(sound, {}, requiredPrograms))).to.deep.equal([
      'The programs must include echoesStdin, or the executor be tested with the trait passesStdin: false',
      'The programs must include writesGreeting, or the executor be tested with the trait passesEnvironment: false',
    ]);
    expect(clausesFor(sound, { passesStdin: false }).map(({ title }) => title)).to.deep.equal([titles.environment]);
    expect(clausesFor(sound, { passesEnvironment: false }).map(({ title }) => title)).to.deep.equal([titles.stdin]);
  });

  it('requires keepAlive, which ends no attempt, only with the trait keepsAlive', async () => {
    const only = { passesStdin: false, passesEnvironment: false };
    const keepsAlive = { ...only, keepsAlive: true };
    expect(clausesFor(() => ({}), only)).to.deep.equal([]);
    expect(await violations(clausesFor(() => ({ keepAlive() {} }), keepsAlive))).to.deep.equal([]);
    expect(await violations(clausesFor(() => ({}), keepsAlive))).to.deep.equal([
      'An executor with the trait keepsAlive must have keepAlive',
    ]);
    const closing = (sound: Executor) => ({ keepAlive: () => void sound.close?.() });
    const [violation] = await violations(clausesFor(closing, keepsAlive));
    expect(violation).to.match(/^An attempt must run on when the lease is renewed; it was "/);
  });
});
