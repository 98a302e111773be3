import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditArchiveContract } from '@horarium/core/contracts';
import { auditFolder } from '@horarium/core/node';
import { expect } from 'chai';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { memoryArchive } from '../../support/store/memory-archive.ts';

describe('the archive of the audit log', () => {
  describe('in memory', () => {
    let segments: Map<string, string[]>;
    beforeEach(() => {
      segments = new Map();
    });
    defineContractTests(auditArchiveContract({ create: () => memoryArchive(segments) }));
  });

  describe('in a folder', () => {
    let outside: string;
    let folder: string;
    beforeEach(() => {
      outside = mkdtempSync(join(tmpdir(), 'horarium-audit-'));
      folder = join(outside, 'var', 'audit');
    });
    afterEach(() => rmSync(outside, { recursive: true, force: true }));

    defineContractTests(auditArchiveContract({ create: () => auditFolder(folder) }));

    const write = async (name: string) => {
      await using writer = await auditFolder(folder).create(name);
      await writer.write(['{}']);
      await writer.complete();
    };

    it('is open to its owner only, as are its files', async () => {
      await write('a.jsonl');
      expect(statSync(folder).mode & 0o777).to.equal(0o700);
      expect(statSync(join(folder, 'a.jsonl')).mode & 0o777).to.equal(0o600);
      expect(readdirSync(folder)).to.deep.equal(['a.jsonl']);
    });

    it('loses the drafts of processes that were killed an hour ago, and no others', async () => {
      await write('a.jsonl');
      const draft = (number: number) => `audit-00000000000${number}.jsonl.${randomUUID()}.draft`;
      const [old, young, folderName] = [draft(1), draft(2), draft(3)];
      for (const name of [old, young, 'letter.draft']) writeFileSync(join(folder, name), '{');
      mkdirSync(join(folder, folderName));
      const longAgo = Date.now() / 1000 - 3700;
      for (const name of [old, folderName, 'letter.draft']) utimesSync(join(folder, name), longAgo, longAgo);
      expect(await auditFolder(folder).list()).to.deep.equal(['a.jsonl', 'letter.draft']);
      await write('b.jsonl');
      expect(readdirSync(folder).sort()).to.deep.equal(
        ['a.jsonl', young, folderName, 'b.jsonl', 'letter.draft'].sort(),
      );
    });

    it('refuses what is no regular file, which a reader would wait for', async () => {
      await write('a.jsonl');
      execFileSync('mkfifo', [join(folder, 'b.jsonl')]);
      const read = async () => {
        for await (const _line of auditFolder(folder).read('b.jsonl'));
      };
      expect(String(await rejectionOf(read()))).to.contain('b.jsonl is no regular file.');
    });

    it('names the folder that cannot be written or read', async () => {
      writeFileSync(join(outside, 'var'), 'a file');
      expect(String(await rejectionOf(write('a.jsonl')))).to.contain(
        `The file a.jsonl of the audit log cannot be written to ${folder} (ENOTDIR).`,
      );
      expect(String(await rejectionOf(auditFolder(folder).list()))).to.contain(
        `The folder ${folder} of the audit log cannot be read (ENOTDIR).`,
      );
    });
  });
});
