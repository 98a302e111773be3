import { contentTypePattern, suffixPattern } from '../plugin/extension-kinds.ts';
import type { Format, FormatContext } from '../plugin/format.ts';
import { isSame } from './assertions.ts';
import { assert, type Clause, clauseList } from './clause.ts';

/** A record with every kind of value that responses contain. */
const record = {
  id: 7,
  name: 'Příliš žluťoučký kůň 🐎 \u202e',
  text: 'a <b> & "c" \'d\', e\n=1+1\t{{x}} %00',
  control: 'a\u0000b\u001bc\u007fd\ufffe',
  empty: '',
  nothing: null,
  yes: true,
  no: false,
  zero: 0,
  small: -0.5,
  large: Number.MAX_SAFE_INTEGER,
  created_at: '2026-11-21T05:00:00.000Z',
  tags: ['x', '', 'null', '1', 'true'],
  none: [],
  settings: { 'no name': { deep: [[1], { a: null }] }, '1st': 'x', ž: 'y', '': 'z', 'a.b': 1, constructor: 2 },
  jobs: [
    { id: 1, state: 'failed' },
    { id: 2, state: null },
  ],
} as const;

const other = { id: 8, name: 'second' };

const item: FormatContext = { kind: 'item', name: 'thing', fields: null, links: null };
const list: FormatContext = { kind: 'list', name: 'thing', plural: 'things', fields: null, links: null };
const problem: FormatContext = { kind: 'problem', name: 'problem', fields: null, links: null };

/** Properties in which formats may differ. */
export interface FormatTraits {
  /** Parses a response of that kind; given only for formats that lose nothing, whose responses are then read back. */
  read?(written: string, kind: FormatContext['kind']): unknown;
  /** Whether `writeList` writes the same text as `write` does for the whole list. @default false */
  readonly streamsAsWritten?: boolean;
}

/**
 * The contract of every format, clause by clause:
 * `for (const { title, check } of formatContract(mine, { read })) it(title, check)`.
 */
export function formatContract(format: Format, { read, streamsAsWritten }: FormatTraits = {}): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const write = (value: unknown, context: FormatContext) => textOf(format.write(value, context));

  clause('has a suffix that a path can end in, and a valid content type', () => {
    const { suffix, mime, problemMime = mime } = format;
    assert(suffixPattern.test(suffix), 'A suffix must be letters and digits, with dots between them', suffix);
    for (const type of [mime, problemMime])
      assert(contentTypePattern.test(type), 'A content type must look like text/plain', type);
  });

  const responses: readonly (readonly [what: string, value: unknown, context: FormatContext])[] = [
    ['a record with every kind of value', record, item],
    ['a list of records with different fields', [record, other, {}], list],
    ['a list of one record', [other], list],
    ['an empty list', [], list],
    [
      'a problem',
      { type: 'about:blank', status: 422, detail: record.text, errors: [{ field: 'a', message: 'b' }] },
      problem,
    ],
  ];
  for (const [what, value, context] of responses) {
    clause(`writes ${what} without changing it`, () => {
      const before = JSON.stringify(value);
      write(deepFreeze(value), context);
      assert(JSON.stringify(value) === before, 'A format must not change the data that it writes');
    });
    if (read)
      clause(`writes ${what} so that it can be read back`, () => {
        const back = read(write(value, context), context.kind);
        assert(isSame(back, value), 'A response that is read back must be the data that was written', back);
      });
  }

  clause('writes the same data to the same text each time', () => {
    const first = write(record, item);
    assert(write(record, item) === first, 'Two responses with the same data must be the same');
  });

  if (format.headers)
    clause('adds headers that HTTP can carry', () => {
      const added = [format.headers?.(record, item), format.headers?.(undefined, list)];
      for (const [name, value] of added.flatMap((headers) => Object.entries(headers ?? {})))
        assert(
          /^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value),
          'A header must be plain text in one line',
          name,
        );
    });

  if (format.writePieces)
    for (const [what, value, context] of responses)
      clause(`writes ${what} in pieces as it does at once`, () => {
        const text = [...(format.writePieces?.(value, context) ?? [])].join('');
        assert(text === write(value, context), 'The pieces must be what write returns', text);
      });

  if (format.writeList) {
    const writeAll = async (pages: readonly (readonly unknown[])[]) => {
      let text = '';
      for await (const piece of format.writeList?.(stream(pages), list) ?? []) text += textOf(piece);
      return text;
    };
    clause('writes a streamed list completely, whatever the sizes of its pages', async () => {
      const rows = [record, other, record, other];
      for (const pages of [[rows], [rows.slice(0, 1), [], rows.slice(1)], [[]], []]) {
        const text = await writeAll(pages);
        if (streamsAsWritten) {
          const isAsWritten = text === write(pages.flat(), list);
          assert(isAsWritten, 'A streamed list must be the text that write returns for all its rows', text);
        }
        if (!read) {
          assert(
            streamsAsWritten || text !== '',
            'writeList must write something for a list without rows, unless fixtures say that it writes what write does (streamsAsWritten)',
          );
          continue;
        }
        const back = read(text, 'list');
        assert(isSame(back, pages.flat()), 'A response that is read back must be the data that was written', back);
      }
    });
  }
  return clauses;
}

async function* stream(pages: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  yield* pages;
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : String.fromCharCode(...piece);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inside of Object.values(value)) deepFreeze(inside);
    Object.freeze(value);
  }
  return value;
}
