import { allTables, BackupReader, trustedActor } from '@horarium/core';
import { NodeVault, newVaultKey } from '@horarium/core/node';
import { expect } from 'chai';
import fc from 'fast-check';
import { rowFromCells, rowToLine } from '#core/backup/backup-file';
import { decodeBase64, encodeBase64 } from '#core/bytes/base64';
import { SampleRecord, sample } from '#core/contracts/store/samples';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const operator = trustedActor('jana', 'cli');

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('A reader of backups', () => {
  const vault = new NodeVault(newVaultKey());
  let lines: string[];
  before(async () => {
    const core = new MemoryCore({ vault });
    await core.forChannels.checkKeys();
    for (const name of ['one', 'two']) await core.topics.save(operator, { name });
    let text = '';
    await core.backups.write(operator, async (piece) => {
      text += piece;
    });
    lines = text.split('\n').slice(0, -1);
  });

  const read = async (changed: readonly string[], keys = vault, tables = allTables) => {
    const reader = await BackupReader.open(linesOf(changed));
    reader.assertTables(tables);
    reader.assertKeys(keys);
    const found: number[] = [];
    for await (const { rows } of reader.rows(tables, reader.hmac(keys))) found.push(rows.length);
    return found.reduce((sum, each) => sum + each, 0);
  };
  const header = (changed: object) => JSON.stringify({ ...JSON.parse(lines[0] as string), ...changed });

  it('reads every row', async () => {
    expect(await read(lines)).to.equal(JSON.parse(lines.at(-1) as string).rows);
  });

  const harms: Readonly<Record<string, (lines: readonly string[]) => readonly string[]>> = {
    'This is no backup of Horarium': () => [],
    'This is no backup of Horarium: its first line is no header.': () => ['{"table":"App"}'],
    'its first line is no header': () => ['\u001f\u008b\u0008'],
    'This backup was made by a newer version of Horarium, in the format 2.': (all) => [
      header({ format: 2 }),
      ...all.slice(1),
    ],
    'The header of the backup was changed.': (all) => [header({ tables: 'all' }), ...all.slice(1)],
    'The backup was changed after it was made': (all) => [header({ created_at: 'earlier' }), ...all.slice(1)],
    'its MAC does not match its lines': (all) => all.map((line) => line.replace('"two"', '"zwei"')),
    'The backup was changed after': (all) => all.filter((line) => !line.includes('"two"')),
    'The backup was changed': (all) => all.flatMap((line) => (line.includes('"two"') ? [line, line] : [line])),
    'Line 3 of the backup cannot be read: it was changed, or the backup is cut off there.': (all) => all.with(2, '[1,'),
    'Line 2 of the backup cannot be read': (all) => all.with(1, '{"table":"Elsewhere"}'),
    'Line 3 of the backup cannot be read': (all) => all.with(2, '[1,2]'),
    'Line 4 of the backup cannot be read': (all) => all.with(3, 'null'),
    'The backup is cut off after line 4: its end is missing.': (all) => all.slice(0, 4),
    'The backup was changed after it was': (all) => all.with(-1, (all.at(-1) as string).replace('{', '{"more":1,')),
    'The backup has lines behind its end.': (all) => [...all, '{"table":"App"}'],
    'The backup has the table Extra, which this service does not have. It was made by version 0.0.0-test': (all) => [
      header({ tables: [...JSON.parse(all[0] as string).tables, { name: 'Extra', columns: {}, last_id: 0 }] }),
    ],
    'The backup has no table LoginAttempt, which this service has.': (all) => [
      header({ tables: JSON.parse(all[0] as string).tables.slice(0, -1) }),
    ],
    'The table Topic has other columns in the backup than here.': (all) => [
      header({
        tables: JSON.parse(all[0] as string).tables.map((table: { name: string }) =>
          table.name === 'Topic' ? { ...table, columns: { id: 'integer' } } : table,
        ),
      }),
    ],
  };
  for (const [message, harm] of Object.entries(harms))
    it(`says of a file that is no whole backup: ${message}`, async () => {
      const error = await rejectionOf(read(harm(lines)));
      expect(String(error)).to.contain(message);
      expect(error).to.have.property('name', 'HorariumError');
    });

  it('names the key that is missing, and gives away none', async () => {
    const other = new NodeVault(newVaultKey());
    const error = await rejectionOf(read(lines, other));
    expect(String(error)).to.contain(
      `The secrets in the backup need the vault key with the fingerprint ${vault.fingerprint}, not ${other.fingerprint}.`,
    );
  });

  it('reads each row as it was written, whatever its values are', () => {
    fc.assert(
      fc.property(
        fc.record({
          label: fc.option(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed())),
          rank: fc.option(fc.maxSafeInteger()),
          weight: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)),
          open: fc.boolean(),
          tags: fc.array(fc.string()),
          extra: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
          bytes: fc.option(fc.uint8Array()),
        }),
        (values) => {
          const row = { id: 7, ...sample(values as object) };
          expect(rowFromCells(SampleRecord, JSON.parse(rowToLine(SampleRecord, row)))).to.deep.equal(row);
        },
      ),
    );
  });

  it('reads bytes of any length', () => {
    for (const length of [0, 1, 2, 3, 8191, 8192, 8193, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31) % 256);
      expect(encodeBase64(bytes)).to.equal(Buffer.from(bytes).toString('base64'));
      expect(decodeBase64(encodeBase64(bytes))).to.deep.equal(bytes);
    }
  });
});
