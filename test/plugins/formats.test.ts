import { type FormatTraits, formatContract } from '@horarium/core/contracts';
import type { Format } from '@horarium/core/plugin';
import { parse } from 'yaml';
import { formatCsv } from '../../plugins/format-csv/format-csv.ts';
import { formatHtml } from '../../plugins/format-html/format-html.ts';
import { formatJson } from '../../plugins/format-json/format-json.ts';
import { formatXml } from '../../plugins/format-xml/format-xml.ts';
import { formatYaml } from '../../plugins/format-yaml/format-yaml.ts';
import { hold } from '../support/hold.ts';
import { readXml } from '../support/read-xml.ts';

const formats: readonly (readonly [Format, FormatTraits?])[] = [
  [formatJson, { read: JSON.parse }],
  [formatXml, { read: (xml) => readXml(xml).value }],
  [formatYaml, { read: parse }],
  [formatCsv],
  [formatHtml],
];

for (const [format, traits] of formats)
  describe(`The format ${format.suffix}`, () => {
    hold(formatContract(format, traits));
  });
