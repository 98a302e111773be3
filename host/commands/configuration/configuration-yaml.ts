import { badRequest, type ConfiguredRecord } from '@horarium/core';
import type { TextFile } from '@horarium/core/plugin';
import type { Document, Node } from 'yaml';
import { isRecord } from '../../cli/output.ts';

/** How many characters a file may have. */
const maxText = 32 * 1024 * 1024;

const comment = ' The configuration of Horarium';
/** Files that an export may replace. */
export const exportedFiles = { noun: 'export', beginning: `#${comment}`, mode: 0o666 } as const;

/** The records of files, and the kinds that stand in them, also without records. */
export interface ConfigurationFiles {
  readonly records: readonly ConfiguredRecord[];
  readonly kinds: readonly string[];
}

/** Writes records as YAML: a list under the name of each kind. */
export async function writeConfiguration(records: readonly ConfiguredRecord[]): Promise<string> {
  const { Document, isScalar } = await import('yaml');
  const kinds = Map.groupBy(records, ({ kind }) => kind);
  const lists = [...kinds].map(([kind, list]) => [kind, list.map(({ fields }) => fields)]);
  const document = new Document(Object.fromEntries(lists), { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  document.commentBefore = `${comment}, as "horarium export" writes it. "horarium apply FILE" makes a service so.`;
  if (document.contents && 'items' in document.contents)
    for (const { key } of document.contents.items.slice(1) as { key: unknown }[])
      if (isScalar(key)) key.spaceBefore = true;
  return document.toString({ lineWidth: 0 });
}

/**
 * Reads the records of YAML files, which JSON files are too.
 * @throws HorariumError `bad_request` naming the file and the line of what cannot be read.
 */
export async function readConfiguration(files: readonly TextFile[]): Promise<ConfigurationFiles> {
  const records: ConfiguredRecord[] = [];
  const kinds = new Set<string>();
  for (const file of files) {
    const read = await readConfigurationFile(file);
    records.push(...read.records);
    for (const kind of read.kinds) kinds.add(kind);
  }
  return { records, kinds: [...kinds] };
}

async function readConfigurationFile({ name, text }: TextFile): Promise<ConfigurationFiles> {
  if (text.length > maxText) throw badRequest(`${name} is too large: it may have at most ${maxText} characters.`);
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit } = await import('yaml');
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, resolveKnownTags: false });
  const at = (offset: number | undefined) =>
    offset === undefined ? name : `${name}:${lineCounter.linePos(offset).line}`;
  const refuse = (document: Document.Parsed) => {
    // What follows a colon is a piece of the file, which may be a secret.
    for (const { pos, message } of [...document.errors, ...document.warnings])
      throw badRequest(`${at(pos[0])}: ${message.split(':', 1)[0]}.`);
    if (document.directives.yaml.version !== '1.2') throw badRequest(`${name} must be YAML 1.2, without a directive.`);
    visit(document, {
      Scalar(_key, { value, source, range }) {
        if (typeof value !== 'number' || String(value) === source) return;
        throw badRequest(`${at(range?.[0])}: a number is written as ${value}; a text needs quotes.`);
      },
    });
  };
  const records: ConfiguredRecord[] = [];
  const kinds: string[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    refuse(document);
    const top: Node | null = document.contents;
    if (top === null || (isScalar(top) && top.value === null)) continue;
    if (!isMap(top)) throw badRequest(`${at(top.range?.[0])}: a file has lists of records by kind, such as "apps:".`);
    for (const { key, value } of top.items) {
      const kind = String(isScalar(key) ? key.value : key);
      kinds.push(kind);
      const list = isAlias(value) ? value.resolve(document) : value;
      if (list === null || list === undefined || (isScalar(list) && list.value === null)) continue;
      const place = at((key as Node).range?.[0]);
      if (!isSeq(list)) throw badRequest(`${place}: ${kind} must be a list of records, each after a hyphen.`);
      for (const item of list.items as Node[]) {
        const itemAt = at(item.range?.[0]);
        const fields = readFields(item, document, itemAt);
        if (!isRecord(fields)) throw badRequest(`${itemAt}: a record of ${kind} must have fields, such as "name: …".`);
        records.push({ kind, fields, at: itemAt });
      }
    }
  }
  return { records, kinds };
}

/** @throws HorariumError `bad_request` for aliases that lead nowhere, to too much or to themselves. */
function readFields(item: Node, document: Document, at: string): unknown {
  try {
    const fields: unknown = item.toJS(document);
    JSON.stringify(fields);
    return fields;
  } catch {
    throw badRequest(`${at}: an alias leads nowhere, to itself or to too much, or the data is nested too deeply.`);
  }
}
