import {
  type Actor,
  App,
  type AppInput,
  type AppRow,
  type Core,
  keepSecretDefaults,
  type Tables,
  Topic,
} from '@horarium/core';

/** What became of one imported record. */
export type Fate = 'created' | 'updated' | 'unchanged';

/** Saves what definitions say inside the caller's transaction, topics they name included. */
export async function storeApp(
  core: Core,
  actor: Actor,
  tables: Tables,
  input: AppInput,
): Promise<{ row: AppRow; fate: Fate }> {
  const columns = ['id', 'revision', 'environment'] as const;
  const [before] = await tables.of(App).find({ where: [['uuid', '=', input.uuid]], columns });
  const { topic_names, ...fields } = keepSecretDefaults(input, before);
  const topics = topic_names && { topics: await topicIds(core, actor, tables, topic_names) };
  const { row, created } = await core.records(App).saveIn(tables, actor, { ...fields, ...topics }, {});
  return { row, fate: fateOf(before, row, created) };
}

/** A revision is only raised by a change, so an equal one tells that there was none. */
export function fateOf(before: { revision: number } | undefined, row: { revision: number }, created: boolean): Fate {
  if (created) return 'created';
  return before?.revision === row.revision ? 'unchanged' : 'updated';
}

async function topicIds(core: Core, actor: Actor, tables: Tables, names: readonly string[]): Promise<number[]> {
  const found = await tables.of(Topic).find({ where: [['name', 'in', [...names]]] });
  const ids = new Map(found.map((topic) => [topic.name, topic.id]));
  for (const name of names) {
    if (ids.has(name)) continue;
    const { row } = await core.records(Topic).saveIn(tables, actor, { name }, {});
    ids.set(name, row.id);
  }
  return [...new Set(names.map((name) => ids.get(name) as number))];
}
