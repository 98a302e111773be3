import { createHash } from 'node:crypto';
import { App, type FormatContext, Job, summaryFieldsOf, Task, Topic, visibleColumns } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatHtml } from '../../../plugins/format-html/format-html.ts';
import { anyData, anyRecord, anyText } from '../../support/formats/arbitrary-data.ts';
import { readHtml } from '../../support/formats/read-html.ts';

const noLinks = { formats: [], sections: [], up: [], related: [], list: null };
const links = { ...noLinks, record: (kind: string, id: number) => `/${kind.toLowerCase()}/${id}.html` };
const item: FormatContext = {
  kind: 'item',
  name: 'app',
  fields: visibleColumns(App),
  summaryFields: summaryFieldsOf(App),
  links,
};
const list: FormatContext = { ...item, kind: 'list', plural: 'apps' };
const problem: FormatContext = { kind: 'problem', name: 'problem', fields: null, links };
const html = (value: unknown, context: FormatContext = item) => formatHtml.write(value, context) as string;
const policy = (value: unknown, context: FormatContext = item) =>
  formatHtml.headers?.(value, context)['Content-Security-Policy'] as string;

const allowedElements = new Set(
  'html head meta title style body header nav main footer h1 h2 p div span small a time pre table thead tbody tr th td img svg rect'.split(
    ' ',
  ),
);

/** Checks that a page is well-formed, and contains only allowed elements and harmless attributes and links. */
function expectHarmless(text: string): void {
  const page = readHtml(text);
  expect(page.errors).to.deep.equal([]);
  for (const { name, attributes } of page.elements) {
    expect(allowedElements.has(name), name).to.equal(true);
    expect(Object.keys(attributes).filter((each) => /^on|^style$|^srcdoc$/i.test(each))).to.deep.equal([]);
    if ('href' in attributes) expect(attributes['href']).to.match(/^(?:https?:\/\/|mailto:|\/|$)/);
    if ('src' in attributes) expect(attributes['src']).to.match(/^(?:https:\/\/|data:image\/(?:png|jpeg|gif|webp);)/i);
  }
}

describe('HTML', () => {
  it('escapes all data', () => {
    const addresses = fc.constantFrom(
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'data:image/svg+xml;base64,AAAA',
      'vbscript:x',
      '//evil.example',
      'https://example.com/"onclick="alert(1)',
      'https://example.com/?a=1&amp;b=<b>',
      'a@b.example?bcc=c@d.example',
      '"><script>alert(1)</script>',
    );
    const value = fc.oneof(anyText, addresses, anyData);
    const app = fc.record(
      { id: fc.nat(), name: value, homepage: value, image: value, topics: fc.array(fc.nat()), environment: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(app, anyRecord), { maxLength: 3 }), (rows) => {
        expectHarmless(html(rows, list));
        for (const row of rows) {
          expectHarmless(html(row));
          expectHarmless(html(row, problem));
          expect(policy(row)).to.match(/^[\x20-\x7e]+$/);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('shows readable text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { all } = readHtml(html({ name: text, description: `\n${text}\nend` }));
        const [shown] = all('h1');
        const expected = text === '' ? 'app' : text;
        expect(shown?.text.startsWith(expected)).to.equal(true);
        expect(all('pre')[0]?.text).to.equal(`\n${text}\nend`);
      }),
      { numRuns: 200 },
    );
  });

  it('allows only its own style and the images it shows in its content security policy', () => {
    const page = readHtml(html({ id: 1 }));
    const [style] = page.all('style');
    const hash = createHash('sha256')
      .update(style?.text ?? '')
      .digest('base64');
    expect(policy({ id: 1 })).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    const image = 'data:image/png;base64,AAAA';
    expect(policy({ id: 1, image })).to.match(/; img-src data:$/);
    expect(policy({ id: 1, image: 'https://example.com/a.png' })).to.match(/; img-src https:$/);
    expect(readHtml(html({ id: 1, image })).all('img')[0]?.attributes['src']).to.equal(image);
    expect(policy({ id: 1, image: 'javascript:alert(1)' })).not.to.include('img-src');
    expect(policy([{ id: 1, image }], list)).not.to.include('img-src');
  });

  it('links ids to their records, and addresses to their pages', () => {
    const task = { id: 7, runtemplate_id: 3, fulfilled_by_job_id: 9, company_id: 2 };
    const context = { ...item, name: 'task', fields: visibleColumns(Task), summaryFields: summaryFieldsOf(Task) };
    const hrefs = (text: string) =>
      readHtml(text)
        .all('a')
        .map((link) => link.attributes['href']);
    expect(hrefs(html(task, context))).to.include.members(['/runtemplate/3.html', '/job/9.html', '/company/2.html']);
    expect(hrefs(html(task, context))).not.to.include('/task/7.html');
    expect(hrefs(html([task], { ...context, kind: 'list' }))).to.include('/task/7.html');
    expect(hrefs(html({ topics: [1, 2], homepage: 'https://example.com/a?b=1&c=2' }))).to.include.members([
      '/topic/1.html',
      '/topic/2.html',
      'https://example.com/a?b=1&c=2',
    ]);
    const entry = { id: 1, entity_type: 'RunTemplate', entity_id: 5, user_id: 4 };
    expect(hrefs(html(entry, { ...item, fields: null }))).to.include.members(['/runtemplate/5.html', '/user/4.html']);
    const user = { id: 1, user: { id: 4, login: 'jana' } };
    const embedded = { user: { name: 'user', fields: null } };
    expect(html([user], { ...list, summaryFields: ['id'], embedded })).to.include('<a href="/user/4.html">jana</a>');
  });

  it('shows times without T and Z, states and colours in colour, and empty values together', () => {
    const task = { state: 'missed', window_start: '2026-11-21T05:00:00.000Z', reason: null, fulfilled_at: null };
    const page = readHtml(html(task, { ...item, name: 'task', fields: visibleColumns(Task) }));
    expect(page.all('span', 'state-bad').map(({ text }) => text)).to.deep.equal(['missed', 'missed']);
    expect(page.all('time')[0]).to.deep.include({ text: '2026-11-21 05:00:00' });
    expect(page.all('time')[0]?.attributes['datetime']).to.equal('2026-11-21T05:00:00.000Z');
    expect(page.rows().at(-1)).to.deep.equal(['empty', 'reason, fulfilled_at']);
    const topic = readHtml(html({ color: '#1F77b4' }, { ...item, name: 'topic', fields: visibleColumns(Topic) }));
    expect(topic.all('rect')[0]?.attributes['fill']).to.equal('#1F77b4');
  });

  it('shows embedded records as a table of their own', () => {
    const embedded = { jobs: { name: 'job', fields: visibleColumns(Job), summaryFields: summaryFieldsOf(Job) } };
    const page = readHtml(
      html({ id: 7, jobs: [{ id: 1, attempt: 1, state: 'failed', pid: 4 }] }, { ...item, embedded }),
    );
    expect(page.all('h2').map(({ text }) => text)).to.deep.equal(['jobs']);
    expect(page.all('table', 'list')[0]?.text).to.include('attempt').and.not.to.include('pid');
    const changes = readHtml(html({ id: 1, changes: { name: ['old', 'new'], cipher_key: [null, '••••••••'] } }));
    expect(changes.rows()).to.deep.include.members([
      ['field', 'before', 'after'],
      ['name', 'old', 'new'],
      ['cipher_key', '–', '••••••••'],
    ]);
  });

  it('lists up to five changed fields of an audit entry', () => {
    const entries = [{ name: ['old', 'new'] }, Object.fromEntries([...'abcdefg'].map((field) => [field, [1, 2]])), {}];
    const page = readHtml(
      html(
        entries.map((changes, id) => ({ id, changes })),
        { ...list, fields: null, summaryFields: ['changes'] },
      ),
    );
    expect(page.rows().slice(1)).to.deep.equal([['name'], ['a, b, c, d, e and 2 more'], ['–']]);
  });

  it('shows the message of an error above its other members', () => {
    const errors = [{ field: 'name', message: 'name is required' }];
    const page = readHtml(html({ type: 'about:blank', title: 'Bad', status: 422, detail: 'A <b>.', errors }, problem));
    expect(page.all('h1')[0]?.text).to.equal('Bad 422');
    expect(page.all('p', 'lead')[0]?.text).to.equal('A <b>.');
    expect(page.rows()).to.deep.include(['name', 'name is required']);
  });
});
