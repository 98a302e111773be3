import type { AuditArchive } from '../audit/archive/audit-archive.ts';
import { assertCode, assertEqual, rejectionOf } from './assertions.ts';
import { type Clause, clausesOf } from './clause.ts';

/** Makes an archive without segments; a later one over the same place holds what the first has written. */
export interface AuditArchiveUnderTest {
  create(): AuditArchive;
}

/** The contract of every archive of the audit log. */
export function auditArchiveContract({ create }: AuditArchiveUnderTest): readonly Clause[] {
  const lines = ['{"seq":1}', '{"text":"Größe \u2028 \\n"}', `{"long":"${'x'.repeat(200_000)}"}`];
  const write = async (archive: AuditArchive, name: string, ...batches: readonly (readonly string[])[]) => {
    await using writer = await archive.create(name);
    for (const batch of batches) await writer.write(batch);
    await writer.complete();
  };

  return clausesOf({
    async 'has no segments at first'() {
      assertEqual(await create().list(), []);
    },

    async 'reads the lines that were written, in order, also later'() {
      const archive = create();
      await write(archive, 'b.jsonl', lines.slice(0, 1), [], lines.slice(1));
      await write(archive, 'a.jsonl', []);
      for (const each of [archive, create()]) {
        assertEqual(await each.list(), ['a.jsonl', 'b.jsonl']);
        assertEqual(await linesOf(each.read('b.jsonl')), lines);
        assertEqual(await linesOf(each.read('a.jsonl')), []);
      }
    },

    async 'shows a segment once it is whole, and discards one that is not completed'() {
      const archive = create();
      {
        await using writer = await archive.create('c.jsonl');
        await writer.write(lines);
        assertEqual((await archive.list()).includes('c.jsonl'), false);
      }
      assertEqual((await archive.list()).includes('c.jsonl'), false);
      await write(archive, 'c.jsonl', lines);
      assertEqual((await archive.list()).includes('c.jsonl'), true);
    },

    async 'keeps a segment that there is'() {
      const archive = create();
      await write(archive, 'd.jsonl', ['first']);
      assertCode(await rejectionOf(write(archive, 'd.jsonl', ['second'])), 'conflict');
      assertEqual(await linesOf(archive.read('d.jsonl')), ['first']);
    },

    async 'reports a segment that cannot be read as unavailable'() {
      assertCode(await rejectionOf(linesOf(create().read('missing.jsonl'))), 'unavailable');
    },
  });
}

async function linesOf(read: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of read) lines.push(line);
  return lines;
}
