import { AuditLog, type FieldDescription } from '@horarium/core';
import type { StoreKind } from '../faults/service-world.ts';
import type { Random } from '../simulation/world/random.ts';
import { log } from './unprotected-log.ts';

/** One change of the log past the service, in SQL. */
export interface Mutation {
  readonly sql: string;
  /** The id of the entry that must be named; that of a sealed one is its `seq` as well. */
  readonly id: number;
}

type Expressions = (column: string) => readonly string[];

const numbers = [
  '0',
  '-1',
  '1',
  '7',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];

/** Whatever SQLite takes in a column of any type. */
const sqliteValues: Expressions = (column) => [
  'null',
  ...numbers,
  '1.5',
  '9e999',
  '-9e999',
  "''",
  "'x'",
  "'null'",
  "'{'",
  "'[]'",
  "'{}'",
  `'{"a":[1,2]}'`,
  `'{"a":[null,1e999]}'`,
  `'{"__proto__":[1,2],"constructor":[]}'`,
  `replace(hex(zeroblob(20000)), '0', '[')`,
  `replace(hex(zeroblob(50000)), '0', 'x')`,
  "x''",
  "x'00ff'",
  "cast(x'ff' as text)",
  "cast(x'eda080' as text)",
  "cast(x'610062' as text)",
  `${column} || ' '`,
  `' ' || ${column}`,
  `${column} || char(0)`,
  `char(0) || ${column}`,
  `cast(cast(${column} as blob) || x'ff' as text)`,
  `cast(${column} as blob)`,
  `cast(${column} as text)`,
  `${column} + 1`,
  `-${column}`,
  `upper(${column})`,
  `replace(${column}, ',', ', ')`,
  `replace(${column}, '[', '[ ')`,
  `replace(${column}, '{', '{"name":[1,2],')`,
  `substr(${column}, 1, length(${column}) - 1)`,
  `${column} || ${column}`,
  "'vault:v1:0:0'",
];

/** What PostgreSQL takes in a column, by the kind of its field. */
const postgresValues: Partial<Record<FieldDescription['kind'], Expressions>> = {
  integer: (column) => ['null', ...numbers, `${column} + 1`, `-${column}`, `${column} * 1000`],
  instant: (column) => [
    'null',
    "'infinity'",
    "'-infinity'",
    "'0001-01-01 BC'",
    "'294276-12-31'",
    "'10000-01-01'",
    `${column} + interval '1 millisecond'`,
    `${column} - interval '1 day'`,
  ],
  flag: (column) => ['null', `not ${column}`],
  json: (column) => [
    'null',
    ...["'null'", "'1'", "'[]'", `'{}'`, `'{"a":[1,2]}'`, `'{"a":[null,1e999]}'`, `'"x"'`].map(
      (text) => `${text}::json`,
    ),
    `(${column}::text || ' ')::json`,
    `(' ' || ${column}::text)::json`,
    `replace(${column}::text, ',', ', ')::json`,
    `('{"name":[1,2],' || substr(${column}::text, 2))::json`,
    `(repeat('[', 1000) || repeat(']', 1000))::json`,
    `json_build_object('a', repeat('x', 50000))`,
  ],
  text: (column) => [
    'null',
    "''",
    "'x'",
    `${column} || ' '`,
    `${column} || chr(1)`,
    `${column} || chr(65533)`,
    `upper(${column})`,
    `substr(${column}, 2)`,
    `repeat('x', 50000)`,
    "'vault:v1:0:0'",
  ],
};

/** The id of an entry that is inserted. */
const inserted = 1000;

/** Draws a change of one of the sealed entries 1 to `count`, mostly of one column, or an entry that is inserted. */
export function drawMutation(random: Random, kind: StoreKind, count: number): Mutation {
  const seq = random.integer(1, count);
  const column = random.pick(AuditLog.columns);
  const name = column.name;
  if (random.chance(0.15)) return { id: seq, sql: drawRowMutation(random, kind, seq, count) };
  if (random.chance(0.1)) {
    const other = `(select ${name} from ${log} where seq = ${random.integer(1, count)})`;
    return { id: seq, sql: `update ${log} set ${name} = ${other} where seq = ${seq}` };
  }
  const kindOf = column.kind === 'choice' ? 'text' : column.kind;
  const values = kind === 'sqlite' ? sqliteValues : postgresValues[kindOf];
  if (!values) throw new Error(`There are no values for a column of the kind ${column.kind}.`);
  const value = random.pick(values(name));
  if (random.chance(0.8) || name === 'id' || name === 'seq')
    return { id: seq, sql: `update ${log} set ${name} = ${value} where seq = ${seq}` };
  const unsealed = { id: `${inserted}`, seq: 'null', hash: 'null', nonce: `'another nonce'`, [name]: value };
  return { id: inserted, sql: copyOf(seq, unsealed) };
}

/** Returns the statement that inserts a copy of an entry with some columns changed. */
function copyOf(seq: number, set: Readonly<Record<string, string>>): string {
  const names = AuditLog.columns.map(({ name }) => name);
  const values = names.map((name) => set[name] ?? name);
  return `insert into ${log} (${names.join()}) select ${values.join()} from ${log} where seq = ${seq}`;
}

function drawRowMutation(random: Random, kind: StoreKind, seq: number, count: number): string {
  const others = AuditLog.columns.map(({ name }) => name).filter((name) => name !== 'id' && name !== 'seq');
  const garbage = kind === 'sqlite' ? `'garbage'` : 'null';
  const other = (seq % count) + 1;
  return random.pick([
    `delete from ${log} where seq = ${seq}`,
    copyOf(seq, {}),
    copyOf(seq, { id: `${inserted}`, nonce: `'another nonce'` }),
    `update ${log} set seq = case seq when ${seq} then ${other} else ${seq} end where seq in (${seq}, ${other})`,
    `update ${log} set id = case seq when ${seq} then ${other} else ${seq} end where seq in (${seq}, ${other})`,
    `update ${log} set seq = null, hash = null where seq = ${seq}`,
    `update ${log} set seq = seq + 1, hash = 'x' where seq = ${seq}`,
    `update ${log} set ${others.map((name) => `${name} = null`).join()} where seq = ${seq}`,
    `update ${log} set seq = ${garbage} where seq = ${seq}`,
  ]);
}
