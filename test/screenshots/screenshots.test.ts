import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeInBrowser } from '../support/browser/console-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';

const program = join(import.meta.dirname, 'main.js');

function screenshots(line: readonly string[], chromium = process.env['HORARIUM_TEST_CHROMIUM']) {
  const env = { ...process.env, ...(chromium && { HORARIUM_TEST_CHROMIUM: chromium }) };
  return new Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>((resolve) => {
    execFile(process.execPath, [program, ...line], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

describe('The program that takes screenshots', () => {
  it('says how to point to Chromium where there is none', async () => {
    const { code, err } = await screenshots([], '/nowhere/chromium');
    expect(code).to.equal(2);
    expect(err).to.include('no Chromium at /nowhere/chromium').and.to.include('HORARIUM_TEST_CHROMIUM');
  });

  it('names the pages where it is asked for one that there is not', async () => {
    const { code, err } = await screenshots(['--only', 'nothing']);
    expect(code).to.equal(2);
    expect(err).to.include('no page nothing').and.to.include('sign-in, now, now-why, timeline');
  });

  it('refuses a folder for the pictures of README, which have one', async () => {
    const { code, err } = await screenshots(['elsewhere', '--readme']);
    expect([code, err.split('\n')[0]]).to.deep.equal([2, '--readme has pages and a folder of its own.']);
  });

  it('describes itself', async () => {
    const { code, out } = await screenshots(['--help']);
    expect(code).to.equal(0);
    expect(out).to.include('npm run screenshots -- [FOLDER]').and.to.include('--readme');
  });
});

describeInBrowser('Screenshots in the browser:', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('pictures');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('Two runs give the same pictures', async () => {
    const runs: Record<string, Buffer>[] = [];
    for (const name of ['one', 'two']) {
      const place = join(folder, name);
      const { code, err } = await screenshots([place, '--only', 'now', '--only', 'account']);
      expect([code, err]).to.deep.equal([0, '']);
      const files = readdirSync(place).toSorted();
      runs.push(Object.fromEntries(files.map((file) => [file, readFileSync(join(place, file))])));
    }
    const [one = {}, two = {}] = runs;
    expect(Object.keys(one)).to.have.length(8);
    expect(Object.keys(two)).to.deep.equal(Object.keys(one));
    for (const [file, picture] of Object.entries(one)) expect(two[file]?.equals(picture), file).to.equal(true);
  });

  for (const [when, isDue] of [
    ['the service is filled', (temporary: string) => readdirSync(temporary).length > 0],
    ['pictures are taken', (_: string, pictures: string) => readdirSync(pictures).length > 0],
  ] as const)
    it(`Ctrl-C leaves nothing but the pictures while ${when}`, async () => {
      // Chromium takes no long path for its socket.
      const temporary = temporaryFolder('stop');
      const pictures = join(folder, when);
      mkdirSync(pictures);
      const env = { ...process.env, TMPDIR: temporary };
      const child = spawn(process.execPath, [program, pictures, '--only', 'now'], { env, stdio: 'pipe' });
      const ended = once(child, 'exit');
      let said = '';
      child.stderr.on('data', (data) => {
        said += data;
      });
      await eventually(when, async () => isDue(temporary, pictures));
      child.kill('SIGINT');
      expect([...(await ended), said]).to.deep.equal([130, null, '']);
      expect(readdirSync(temporary)).to.deep.equal([]);
      const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      expect(processes.filter((pid) => commandOf(pid).includes(temporary))).to.deep.equal([]);
    });
});

/** The command of a process; empty once it has ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
