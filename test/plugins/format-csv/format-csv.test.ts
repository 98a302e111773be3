import { App, type FormatContext, Job, RunTemplate, visibleColumns } from '@horarium/core';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { formatCsv } from '../../../plugins/format-csv/format-csv.ts';
import { anyText } from '../../support/formats/arbitrary-data.ts';
import { streamList } from '../../support/formats/stream-list.ts';

const item: FormatContext = { kind: 'item', name: 'thing', fields: null, links: null };
const list: FormatContext = { ...item, kind: 'list' };
const csv = (value: unknown, context: FormatContext = item) => formatCsv.write(value, context) as string;
const read = (text: string) => parse(text, { record_delimiter: ['\r\n', '\n', '\r'] });

const streamed = (pages: readonly (readonly unknown[])[], context: FormatContext) =>
  streamList(formatCsv, pages, context);

describe('CSV', () => {
  it('writes a header and a line per record, with empty cells for null', () => {
    const rows = [
      { id: 1, name: 'a, "b"', enabled: true, reason: null, note: '' },
      { id: -2, name: 'kůň\nžlutý', enabled: false, reason: 1.5, note: 'x' },
    ];
    expect(csv(rows, list)).to.equal(
      'id,name,enabled,reason,note\r\n1,"a, ""b""",true,,""\r\n-2,"kůň\nžlutý",false,1.5,x\r\n',
    );
  });

  it('flattens objects whose keys the service chooses, and writes those of users as JSON', () => {
    const status = { version: '1', queue: { due: 1, running: 0 }, workers: [{ id: 1 }], deep: { a: { b: [1] } } };
    expect(csv(status)).to.equal(
      'version,queue.due,queue.running,workers,deep.a\r\n1,1,0,"[{""id"":1}]","{""b"":[1]}"\r\n',
    );
    const context = { ...list, name: 'app', fields: visibleColumns(App) };
    const [header, row] = read(csv([{ id: 1, tags: ['a'], environment: { '=A': '1' }, topics: [] }], context));
    expect(header).to.deep.equal(['id', 'tags', 'environment', 'topics']);
    expect(row).to.deep.equal(['1', '["a"]', '{"=A":"1"}', '[]']);
  });

  it('writes a line for each embedded record, and does not repeat long texts', () => {
    const embedded = { jobs: { name: 'job', fields: visibleColumns(Job) } };
    const context = { ...item, name: 'task', embedded };
    const task = {
      id: 7,
      log: 'x'.repeat(1001),
      jobs: [
        { id: 1, environment: { A: '1' } },
        { id: 2, environment: {} },
      ],
    };
    expect(read(csv(task, context))).to.deep.equal([
      ['id', 'log', 'jobs.id', 'jobs.environment'],
      ['7', task.log, '1', '{"A":"1"}'],
      ['7', '', '2', '{}'],
    ]);
    expect(read(csv({ id: 7, jobs: [] }, context))).to.deep.equal([
      ['id', 'jobs'],
      ['7', ''],
    ]);
  });

  it('writes the header of an empty list too', async () => {
    const context = { ...list, name: 'runtemplate', fields: visibleColumns(RunTemplate) };
    for (const text of [csv([], context), await streamed([[]], context), await streamed([], context)])
      expect(read(text)[0]).to.include.members(['id', 'name', 'interval']).and.to.have.length.above(20);
  });

  it('streams a list as it writes it at once', async () => {
    const rows = [1, 2, 3, 4, 5].map((id) => ({ id, name: `row ${id}`, user: { login: `user${id}` } }));
    expect(await streamed([rows.slice(0, 2), rows.slice(2, 3), rows.slice(3)], list)).to.equal(csv(rows, list));
  });

  it('preserves control characters, in quotes', () => {
    const text = 'a\u0000b\u001bc\u007fd\u0085e\tf';
    expect(csv({ text })).to.equal(`text\r\n"${text}"\r\n`);
    expect(read(csv({ text }))[1]).to.deep.equal([text]);
  });

  it('escapes texts that only a spreadsheet with other separators takes for formulas', () => {
    const written = (text: string) => csv({ id: 1, text, end: 'x' }).split('\r\n')[1];
    expect(written(';=1')).to.equal(`1,";'=1",x`);
    expect(written('a;=1+1;b')).to.equal(`1,"a;'=1+1;b",x`);
    expect(written('a;"=1')).to.equal(`1,"a;'""=1",x`);
    expect(written('a\t@SUM(A1)')).to.equal(`1,"a\t'@SUM(A1)",x`);
    expect(written('a; b; -c')).to.equal('1,"a; b; -c",x');
    expect(csv({ id: 1, text: 'a\n=1' })).to.include(`"a\n'=1"`);
  });

  it('escapes the signs of formulas in JSON without changing the data', () => {
    const data = { list: [';=1', ';-', 'a;+b', ';@', ';\uff1d'] };
    const [, [cell = ''] = []] = read(csv([data], list));
    expect(cell).to.not.match(/;[=+\-@\uff1d]/);
    expect(JSON.parse(cell)).to.deep.equal(data.list);
  });

  it('escapes every text that begins a formula, whatever the separator, and preserves all others', () => {
    const sign = '[=+\\-@\uff1d\uff0b\uff0d\uff20]';
    const text = fc.oneof(
      anyText,
      fc.string({ unit: fc.constantFrom(';', '=', '-', '"', ',', 'a', '\t', '\n', "'", ' ') }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        const table = rows.map(([a = '', b = '']) => ({ a, b }));
        const written = csv(table, list);
        const expected = rows.map((row) =>
          row.map((each) =>
            each
              .toWellFormed()
              .replace(new RegExp(`([;\\t\\r\\n])(?="*${sign})`, 'g'), "$1'")
              .replace(new RegExp(`^(?=${sign}|[\\t\\r\\n])`), "'"),
          ),
        );
        expect(read(written).slice(1)).to.deep.equal(expected);
        // The fields of a reader that separates at semicolons, tabs or line ends.
        expect(written).to.not.match(new RegExp(`(?:^|[\\r\\n]|[;\\t]"*)${sign}`));
      }),
      { numRuns: 300 },
    );
  });
});
