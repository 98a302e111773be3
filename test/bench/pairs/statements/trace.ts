/** An SQL statement, and the number of the connection that it was sent by. */
export interface TracedStatement {
  readonly connection: number;
  readonly sql: string;
}

/** The statements of one transaction, its begin and commit included, or one statement outside of any. */
export type Unit = readonly string[];

export interface StatementCount {
  readonly statements: number;
  /** The units that write; the database makes each durable. */
  readonly writes: number;
}

const begin = /^(begin|start transaction)\b/i;
const end = /^(commit|rollback)$/i;
const write = /^(insert|update|delete|merge)\b|^with\b.*\b(insert into|update|delete from) "/i;
/** A tick that runs this much more often than in an idle service does work for jobs. */
const tolerance = 1.5;

/** Groups a trace into transactions; each connection has one at a time. */
export function unitsOf(trace: readonly TracedStatement[]): Unit[] {
  const units: Unit[] = [];
  const open = new Map<number, string[]>();
  for (const { connection, sql } of trace) {
    const unit = open.get(connection) ?? [];
    unit.push(sql);
    if (begin.test(sql)) open.set(connection, unit);
    else if (end.test(sql) || !open.has(connection)) {
      open.delete(connection);
      units.push(unit);
    }
  }
  return [...units, ...open.values()];
}

export function countUnits(units: readonly Unit[]): StatementCount {
  return {
    statements: units.reduce((sum, unit) => sum + unit.length, 0),
    writes: units.filter((unit) => unit.some((sql) => write.test(sql))).length,
  };
}

/**
 * Takes off the units that come from ticks of the service: those that an idle service runs as often in the same time.
 * A tick that also works for jobs runs more often beside jobs, and stays.
 *
 * @param idle the units of the idle service.
 * @param times how much longer than the idle service the busy one was traced.
 */
export function withoutTicks(busy: readonly Unit[], idle: readonly Unit[], times: number): Unit[] {
  const idleCounts = countKinds(idle);
  const busyCounts = countKinds(busy);
  return busy.filter((unit) => {
    const kind = kindOf(unit);
    return (busyCounts.get(kind) as number) > (idleCounts.get(kind) ?? 0) * times * tolerance;
  });
}

function countKinds(units: readonly Unit[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const unit of units) counts.set(kindOf(unit), (counts.get(kindOf(unit)) ?? 0) + 1);
  return counts;
}

/** Units of one kind send the same statements; those that are sent side by side come in any order. */
function kindOf(unit: Unit): string {
  return unit.toSorted().join('\n');
}
