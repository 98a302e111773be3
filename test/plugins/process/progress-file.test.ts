import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptProgress } from '@horarium/core/plugin';
import { expect } from 'chai';
import { ProgressFile, parseProgress, progressFile } from '../../../plugins/process/working-folder/progress-file.ts';

describe('A progress file', () => {
  for (const [text, progress] of [
    ['40', { progress: 40, message: null }],
    ['40\n', { progress: 40, message: null }],
    ['40.9 %\n', { progress: 40, message: null }],
    ['40% half way', { progress: 40, message: 'half way' }],
    ['40 half way\n41 further\n', { progress: 41, message: 'further' }],
    ['100 of 7 pages', { progress: 100, message: 'of 7 pages' }],
    ['404 not found', { progress: null, message: '404 not found' }],
    ['rendering', { progress: null, message: 'rendering' }],
    ['2nd page', { progress: null, message: '2nd page' }],
    ['-3', { progress: null, message: '-3' }],
    [' \n\n', null],
    ['', null],
  ] as const satisfies readonly (readonly [string, AttemptProgress | null])[])
    it(`of ${JSON.stringify(text)} says ${JSON.stringify(progress)}`, () => {
      expect(parseProgress(text)).to.deep.equal(progress);
    });

  describe('in a working directory', () => {
    let outside: string;
    let folder: string;
    let file: ProgressFile;
    let reported: AttemptProgress[];
    const path = () => join(folder, progressFile);

    beforeEach(() => {
      outside = mkdtempSync(join(tmpdir(), 'horarium-outside-'));
      writeFileSync(join(outside, 'secret'), '99 secret');
      reported = [];
      folder = mkdtempSync(join(tmpdir(), 'horarium-progress-'));
      file = new ProgressFile(folder, null, (progress) => void reported.push(progress));
    });

    afterEach(() => {
      for (const made of [outside, folder]) rmSync(made, { recursive: true, force: true });
    });

    it('is reported when it has changed, and may grow to any length', async () => {
      await file.read();
      for (let line = 1; line <= 3000; line += 1) appendFileSync(path(), `5 line ${line}\n`);
      await file.read();
      await file.read();
      appendFileSync(path(), '6\n');
      await file.read();
      expect(reported).to.deep.equal([
        { progress: 5, message: 'line 3000' },
        { progress: 6, message: null },
      ]);
    });

    const tricks: Readonly<Record<string, () => void>> = {
      'a symbolic link': () => symlinkSync(join(outside, 'secret'), path()),
      'a hard link': () => linkSync(join(outside, 'secret'), path()),
      'a pipe': () => void execFileSync('mkfifo', [path()]),
      'a folder': () => mkdirSync(path()),
      'a link in place of the directory': () => {
        rmSync(folder, { recursive: true });
        writeFileSync(join(outside, progressFile), '99 secret');
        symlinkSync(outside, folder);
      },
    };
    for (const [name, trick] of Object.entries(tricks))
      it(`is not read through ${name}`, async () => {
        trick();
        await file.read();
        expect(reported).to.deep.equal([]);
      });

    it('of another user is not read', async () => {
      const foreign = new ProgressFile(folder, 4_000_000, (progress) => void reported.push(progress));
      writeFileSync(path(), '40');
      await foreign.read();
      expect(reported).to.deep.equal([]);
    });
  });
});
