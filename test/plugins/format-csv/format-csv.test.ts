import { App, type FormatContext, Job, RunTemplate, visibleColumns } from '@horarium/core';
import { visibleControls } from '@horarium/core/plugin';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { formatCsv } from '../../../plugins/format-csv/format-csv.ts';
import { anyText } from '../../support/data.ts';

const item: FormatContext = { kind: 'item', name: 'thing', fields: null, links: null };
const list: FormatContext = { ...item, kind: 'list' };
const csv = (value: unknown, context: FormatContext = item) => formatCsv.write(value, context) as string;
const read = (text: string) => parse(text, { record_delimiter: ['\r\n', '\n', '\r'] }) as string[][];

async function streamed(pages: readonly (readonly unknown[])[], context: FormatContext): Promise<string> {
  async function* all() {
    yield* pages;
  }
  let text = '';
  for await (const piece of formatCsv.writeList?.(all(), context) ?? []) text += piece;
  return text;
}

describe('CSV', () => {
  it('is a table with a header, empty where there is nothing', () => {
    const rows = [
      { id: 1, name: 'a, "b"', enabled: true, reason: null, note: '' },
      { id: -2, name: 'kůň\nžlutý', enabled: false, reason: 1.5, note: 'x' },
    ];
    expect(csv(rows, list)).to.equal(
      'id,name,enabled,reason,note\r\n1,"a, ""b""",true,,""\r\n-2,"kůň\nžlutý",false,1.5,x\r\n',
    );
  });

  it('flattens one level of what the service names, and writes as JSON what users name', () => {
    const status = { version: '1', queue: { due: 1, running: 0 }, workers: [{ id: 1 }], deep: { a: { b: [1] } } };
    expect(csv(status)).to.equal(
      'version,queue.due,queue.running,workers,deep.a\r\n1,1,0,"[{""id"":1}]","{""b"":[1]}"\r\n',
    );
    const context = { ...list, name: 'app', fields: visibleColumns(App) };
    const [header, row] = read(csv([{ id: 1, tags: ['a'], environment: { '=A': '1' }, topics: [] }], context));
    expect(header).to.deep.equal(['id', 'tags', 'environment', 'topics']);
    expect(row).to.deep.equal(['1', '["a"]', '{"=A":"1"}', '[]']);
  });

  it('gives each record inside a record a line, and does not repeat long texts', () => {
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

  it('has its header also without rows', async () => {
    const context = { ...list, name: 'runtemplate', fields: visibleColumns(RunTemplate) };
    for (const text of [csv([], context), await streamed([[]], context), await streamed([], context)])
      expect(read(text)[0]).to.include.members(['id', 'name', 'interval']).and.to.have.length.above(20);
  });

  it('writes page by page what it writes at once', async () => {
    const rows = [1, 2, 3, 4, 5].map((id) => ({ id, name: `row ${id}`, user: { login: `user${id}` } }));
    expect(await streamed([rows.slice(0, 2), rows.slice(2, 3), rows.slice(3)], list)).to.equal(csv(rows, list));
  });

  it('never begins a cell like a formula, and holds every text else', () => {
    const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
    fc.assert(
      fc.property(fc.array(fc.array(anyText, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        const written = read(
          csv(
            rows.map(([a, b]) => ({ a, b })),
            list,
          ),
        ).slice(1);
        const expected = rows.map((row) =>
          row.map(visibleControls).map((text) => (formula.test(text) ? `'${text}` : text)),
        );
        expect(written).to.deep.equal(expected);
      }),
      { numRuns: 300 },
    );
  });
});
