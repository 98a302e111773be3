import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Task } from '@horarium/core';
import { expect } from 'chai';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { sourceFiles, sourceRoot } from '../house/source-files.ts';
import { readEmbeddingPages } from '../support/docs/embedding-pages.ts';
import { applicationFolder, installTimeout } from '../support/packages/installed-packages.ts';
import { copyExample, startExample } from '../support/packages/start-example.ts';
import type { SpawnedProgram } from '../support/program/spawned-program.ts';
import { createDatabase, dropDatabase } from '../support/store/test-postgres.ts';

/** Waits until a program has written a line that matches, ends it by a signal, and returns how it ended. */
async function endAfter(program: SpawnedProgram, line: RegExp, signal: NodeJS.Signals) {
  await program.waitForOutput(line);
  program.process.kill(signal);
  return { ended: await program.ended, problems: program.problems };
}

const succeeded = { ended: 0, problems: '' };
const fulfilled = / fulfilled succeeded in time\n/;
/** The lines of code of an example. */
const codeOf = (path: string) =>
  readFileSync(join(sourceRoot, 'test/examples', path), 'utf8')
    .split('\n')
    .filter((line) => /\S/.test(line) && !/^ *\/[/*]/.test(line));

describe('The programs of the handbook that embed the core, in an application that installed the packages', () => {
  before(async function () {
    this.timeout(installTimeout);
    await applicationFolder();
  });

  describe('the first one', () => {
    it('runs a function every second, and prints each change of a Task', async () => {
      const program = await startExample('embedding/recurring-function.ts');
      // On a busy machine the next Task is open before this one is fulfilled.
      const changes = /^(\S+Z) open \n(?:.*\n)*?\1 running \n(?:.*\n)*?\1 fulfilled succeeded in time\n/m;
      expect(await endAfter(program, changes, 'SIGTERM')).to.deep.equal(succeeded);
    });

    it('has fifteen lines at most, and imports only the core', () => {
      const path = 'embedding/recurring-function.ts';
      expect(codeOf(path)).to.have.length.of.at.most(15);
      const file = sourceFiles().find((candidate) => candidate.path === `test/examples/${path}`);
      expect(file?.imports).to.deep.equal(['@horarium/core', '@horarium/core/node']);
    });
  });

  describe('the one with a store in SQLite', () => {
    it('goes on at its next start where it was stopped, without a hole in the ledger', async () => {
      const folder = await applicationFolder();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        const program = await startExample('embedding/sqlite-store.ts', { folder });
        expect(await endAfter(program, fulfilled, signal)).to.deep.equal(succeeded);
      }
      await using store = await openStore({ url: `sqlite:${join(folder, 'jobs.sqlite')}` });
      const tasks = await store.transaction((tables) => tables.of(Task).find({ order: [['window_start', 'asc']] }));
      const starts = tasks.map(({ window_start }) => window_start);
      expect(starts).to.deep.equal(starts.map((_, index) => (starts[0] as number) + index * 1000));
      expect(tasks.filter(({ state }) => state === 'fulfilled')).to.have.length.above(1);
    });

    it('is the first one, but for three lines that open the store', () => {
      const first = codeOf('embedding/recurring-function.ts');
      const added = codeOf('embedding/sqlite-store.ts').filter((line) => !first.includes(line));
      expect(added.filter((line) => /openStore\(|migrate\(|horarium\/mikro-orm/.test(line))).to.have.length(3);
      // The import without memoryStore, and the core with its key file.
      expect(added).to.have.length(5);
    });
  });

  describe('the one that schedules inside a transaction of its own MikroORM', () => {
    const expected = 'the order of John is not paid\norder 1 is confirmed\norders: 1, jobs: 1\n';

    it('runs the job of the order that is committed, and has none of the one that is rolled back, on SQLite', async () => {
      const folder = await applicationFolder();
      const program = await startExample('mikro-orm/orders.ts', { folder });
      expect([await program.ended, program.problems, program.out]).to.deep.equal([0, '', expected]);
      const again = await startExample('mikro-orm/orders.ts', { folder });
      expect([await again.ended, again.problems, again.out]).to.deep.equal([0, '', expected.replaceAll('1', '2')]);
    });

    it('does the same on PostgreSQL, with the two changes that the handbook names', async () => {
      const clientUrl = await createDatabase();
      const edit = (program: string) =>
        program
          .replace("from '@mikro-orm/sqlite'", "from '@mikro-orm/postgresql'")
          .replace("dbName: 'shop.sqlite'", `clientUrl: '${clientUrl}'`);
      try {
        const program = await startExample('mikro-orm/orders.ts', { edit });
        expect([await program.ended, program.problems, program.out]).to.deep.equal([0, '', expected]);
      } finally {
        await dropDatabase(clientUrl);
      }
    });
  });

  describe('the one with records of its own', () => {
    it('saves an App, a company and a RunTemplate, and prints the output of each job', async () => {
      const program = await startExample('embedding/records.ts');
      expect(await endAfter(program, /all there\n/, 'SIGTERM')).to.deep.equal(succeeded);
      expect(program.out).to.match(/^(\S+Z fulfilled(_late)? warehouse 7: all there\n)+$/);
    });
  });

  describe('the custom host', () => {
    it('has twenty lines at most', () => {
      expect(codeOf('custom-host/main.ts')).to.have.length.of.at.most(20);
    });
  });

  it('are accepted by the compiler, as the handbook has it called', async () => {
    const folder = await applicationFolder();
    const { programs, commands } = readEmbeddingPages();
    for (const path of [...programs, 'test/examples/embedding/records.ts'])
      copyExample(path.replace('test/examples/', ''), folder);
    const [command = ''] = commands.filter((candidate) => candidate.startsWith('npx tsc '));
    const types = `--typeRoots ${join(sourceRoot, 'node_modules/@types')}`;
    const compile = promisify(execFile)('sh', ['-c', `${command.replace('npx ', '')} ${types}`], { cwd: folder });
    expect((await compile.catch((error) => error)).stdout).to.equal('');
  });
});
