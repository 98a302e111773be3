import { expect } from 'chai';
import { render } from '../../../host/cli/output.ts';

const lines = (...text: readonly string[]) => `${text.join('\n')}\n`;

describe('render', () => {
  it('writes a list as a table with one line a row, cut to the width of a cell', async () => {
    const rows = [
      { id: 1, name: 'a', tags: ['x', 'y'], note: null },
      { id: 12, name: 'b'.repeat(99), tags: [], note: 'two\nlines' },
    ];
    expect(await render(rows, 'table')).to.equal(
      lines(`id  name${' '.repeat(78)}tags  note`, `1   a${' '.repeat(81)}x, y`, `12  ${'b'.repeat(79)}…        two…`),
    );
    expect(await render(rows, 'table', { columns: ['note', 'id'] })).to.equal(lines('note  id', '      1', 'two…  12'));
    expect(await render([], 'table')).to.equal('(none)\n');
  });

  it('writes a record with a line for each member of its objects', async () => {
    const status = { version: '1.0', queue: { due: 2, running: 0 }, changes: { name: [null, 'a'] }, settings: {} };
    expect(await render(status, 'table')).to.equal(
      lines('version        1.0', 'queue.due      2', 'queue.running  0', 'changes.name   [null,"a"]', 'settings'),
    );
  });

  it('writes the lists that are embedded in a record as tables of their summary fields', async () => {
    const task = { id: 7, jobs: [{ id: 1, state: 'failed', pid: 4 }], state: 'open', workers: [] };
    expect(await render(task, 'table', { embedded: { jobs: ['id', 'state'] } })).to.equal(
      lines('id       7', 'state    open', 'workers', '', 'jobs:', 'id  state', '1   failed'),
    );
  });

  it('escapes control characters in names and values', async () => {
    const shown = await render({ name: '\u001b[2J', inside: { '\u001b[H': '\u0007' } }, 'table');
    expect(shown).to.equal(lines('name           \\x1b[2J', 'inside.\\x1b[H  \\x07'));
  });
});
