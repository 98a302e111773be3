import type { FormatContext } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatXml } from '../../../plugins/format-xml/format-xml.ts';
import { anyRecord } from '../../support/formats/arbitrary-data.ts';
import { readXml } from '../../support/formats/read-xml.ts';

const item: FormatContext = { kind: 'item', name: 'company', fields: null, links: null };
const list: FormatContext = { kind: 'list', name: 'company', plural: 'companies', fields: null, links: null };
const xml = (value: unknown, context: FormatContext = item) => formatXml.write(value, context) as string;

describe('XML', () => {
  it('indents elements, and marks every type other than text with an attribute', () => {
    const task = {
      id: 7,
      name: 'Žluťoučký & <kůň>',
      enabled: true,
      reason: null,
      note: '',
      environment: { PATH: '/bin', 'two words': '"x"', xmlns: 1 },
      settings: {},
      tags: ['a', 'b'],
      topics: [],
      jobs: [{ id: 1 }, { id: 2 }],
    };
    const embedded = { jobs: { name: 'job', fields: null } };
    expect(xml(task, { ...item, name: 'task', embedded })).to.equal(
      `<?xml version="1.0" encoding="UTF-8"?>
<task>
  <id type="number">7</id>
  <name>Žluťoučký &amp; &lt;kůň&gt;</name>
  <enabled type="boolean">true</enabled>
  <reason type="null"/>
  <note/>
  <environment>
    <PATH>/bin</PATH>
    <entry key="two words">&quot;x&quot;</entry>
    <entry key="xmlns" type="number">1</entry>
  </environment>
  <settings type="object"/>
  <tags type="array">
    <item>a</item>
    <item>b</item>
  </tags>
  <topics type="array"/>
  <jobs type="array">
    <job>
      <id type="number">1</id>
    </job>
    <job>
      <id type="number">2</id>
    </job>
  </jobs>
</task>
`,
    );
  });

  it('names elements of lists by their resource, and problems as in RFC 9457', () => {
    expect(xml([{ id: 1 }], list)).to.include('<companies type="array">\n  <company>\n    <id');
    expect(readXml(xml([], list))).to.deep.include({ name: 'companies', value: [] });
    const problem = { status: 422, detail: 'no', errors: [{ field: 'a', message: 'b' }] };
    const text = xml(problem, { ...item, kind: 'problem', name: 'problem' });
    expect(text).to.include('<problem xmlns="urn:ietf:rfc:7807">').and.to.include('<i>');
    expect(readXml(text).value).to.deep.equal(problem);
    expect(formatXml.problemMime).to.equal('application/problem+xml; charset=utf-8');
  });

  it('writes data that reads back unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 3 }), (rows) => {
        expect(readXml(xml(rows, list)).value).to.deep.equal(rows);
        for (const row of rows) expect(readXml(xml(row)).value).to.deep.equal(row);
      }),
      { numRuns: 300 },
    );
  });

  it('writes data that is nested 150 levels deep', () => {
    let deep: object = { end: true };
    for (let n = 0; n < 150; n++) deep = n % 2 ? { deep } : { list: [deep] };
    expect(readXml(xml(deep)).value).to.deep.equal(deep);
  });
});
