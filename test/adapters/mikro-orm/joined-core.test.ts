import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { databaseKinds } from '../../support/store/test-databases.ts';

const programs = join(import.meta.dirname, '..', '..');

/** Runs a program in a folder, and returns how it ended and what it printed. */
async function run(folder: string, program: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(programs, program), ...args], { cwd: folder });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  const ended = await new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  return { ended, out, err };
}

describe('A job that is scheduled inside a transaction of the application', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('orders');
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const { title, create } of Object.values(databaseKinds))
    it(`is there with the order, or neither is, when the process is killed around the commit, in ${title}`, async () => {
      const { url, drop } = await create();
      const program = 'adapters/mikro-orm/killed-application.js';
      expect(await run(folder, program, url, 'prepare')).to.deep.include({ ended: 0, err: '' });
      expect((await run(folder, program, url, 'before')).ended).to.equal('SIGKILL');
      expect((await run(folder, program, url, 'count')).out).to.equal('0 orders, 0 jobs, 0 entries of jobs\n');
      expect((await run(folder, program, url, 'after')).ended).to.equal('SIGKILL');
      expect((await run(folder, program, url, 'count')).out).to.equal('1 orders, 1 jobs, 1 entries of jobs\n');
      await drop();
    });
});
