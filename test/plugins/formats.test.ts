import { type FormatTraits, formatContract } from '@horarium/core/contracts';
import type { Format } from '@horarium/core/plugin';
import { parse } from 'yaml';
import { formatCsv } from '../../plugins/format-csv/format-csv.ts';
import { formatHtml } from '../../plugins/format-html/format-html.ts';
import { formatJson } from '../../plugins/format-json/format-json.ts';
import { formatXml } from '../../plugins/format-xml/format-xml.ts';
import { formatYaml } from '../../plugins/format-yaml/format-yaml.ts';
import { readXml } from '../support/formats/read-xml.ts';
import { defineContractTests } from '../support/mocha/define-contract-tests.ts';

/** Writes each record on a line of its own, so that a list of one record and a record are written alike. */
const formatNdjson: Format = {
  suffix: 'ndjson',
  mime: 'application/x-ndjson; charset=utf-8',
  write: (value, { kind }) => (kind === 'list' ? (value as unknown[]) : [value]).map(line).join(''),
  async *writeList(pages) {
    for await (const rows of pages) yield rows.map(line).join('');
  },
};

function line(row: unknown): string {
  return `${JSON.stringify(row)}\n`;
}

function readNdjson(text: string, kind: string): unknown {
  const rows = text
    .split('\n')
    .slice(0, -1)
    .map((row) => JSON.parse(row) as unknown);
  return kind === 'list' ? rows : rows[0];
}

const formats: readonly (readonly [Format, FormatTraits?])[] = [
  [formatJson, { read: (text) => JSON.parse(text) }],
  [formatXml, { read: (xml) => readXml(xml).value, streamsAsWritten: true }],
  [formatYaml, { read: (text) => parse(text), streamsAsWritten: true }],
  [formatNdjson, { read: readNdjson, streamsAsWritten: true }],
  [formatCsv, { streamsAsWritten: true }],
  [formatHtml],
];

for (const [format, traits] of formats)
  describe(`The format ${format.suffix}`, () => {
    defineContractTests(formatContract(format, traits));
  });
