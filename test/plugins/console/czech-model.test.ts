import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { sourceRoot } from '../../house/source-files.ts';
import { ServiceWorld } from '../../support/faults/service-world.ts';
import { fetchAsset } from '../../support/http/checked-fetch.ts';

const password = 'correct horse battery';

// biome-ignore lint/suspicious/noExplicitAny: the test looks into the model and the words as pages do.
type Described = any;

/** What a model says that pages show. */
interface Said {
  readonly kinds: Set<string>;
  readonly labels: Set<string>;
  /** As the words may have them: by themselves, or after the label of their field. */
  readonly choices: (readonly [field: string, choice: string, keys: readonly string[]])[];
  /** Labels that a description may follow. */
  readonly described: Set<string>;
}

function saidBy(model: Described): Said {
  const said: Said = { kinds: new Set(), labels: new Set(), choices: [], described: new Set() };
  const readValue = ({ choices = [], fields = [], item, value }: Described, { name, label }: Described) => {
    for (const choice of choices) said.choices.push([name, choice, [`${label}: ${choice}`, choice]]);
    for (const field of fields) readField(field);
    for (const part of [item, value]) if (part) readValue(part, { name, label });
  };
  const readField = (field: Described) => {
    said.labels.add(field.label);
    said.described.add(`${field.label}: ${field.description}`);
    readValue(field, field);
  };
  for (const { name, fields } of model.resources) {
    said.kinds.add(name);
    fields.forEach(readField);
  }
  const { executors, actions, event_source_kinds, calendar_rules, imports } = model;
  for (const { fields } of [...executors, ...actions, ...event_source_kinds, ...calendar_rules, ...imports])
    fields.forEach(readField);
  model.job_fields.forEach(readField);
  return said;
}

/** What is in one list and not in the other. */
function beyond(some: Iterable<string>, others: Iterable<string>): string[] {
  const known = new Set(others);
  return [...new Set(some)].filter((each) => !known.has(each));
}

describe('The Czech words for the model of a service with its built-in plugins', () => {
  let said: Said;
  let words: Described;
  let model: Described;

  before(async () => {
    await using world = await ServiceWorld.create('sqlite', { HORARIUM_ADMIN_PASSWORD: password });
    const { url } = await world.startService();
    const Authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    const accept = 'application/json';
    const response = await fetchAsset(`${new URL(url).origin}/api/v1/console/model`, { Authorization, accept });
    expect(response.status).to.equal(200);
    said = saidBy(await response.json());
    const file = pathToFileURL(join(sourceRoot, 'plugins/console/web/words/cs.ts'));
    words = (await import(file.href)).cs;
    model = words.model;
  });

  it('name every kind of records and say what it is, and no kind that does not exist', () => {
    expect(said.kinds.size).to.be.greaterThan(15);
    expect(beyond(said.kinds, Object.keys(words.kinds)), 'kinds without Czech').to.deep.equal([]);
    expect(beyond(Object.keys(words.kinds), said.kinds), 'Czech for no kind').to.deep.equal([]);
    expect(beyond(said.kinds, Object.keys(model.descriptions)), 'descriptions without Czech').to.deep.equal([]);
    expect(beyond(Object.keys(model.descriptions), said.kinds), 'Czech for no description').to.deep.equal([]);
  });

  it('have a label for every field of records, options and imports, and none that no field has', () => {
    expect(said.labels.size).to.be.greaterThan(150);
    expect(beyond(said.labels, Object.keys(model.labels)), 'labels without Czech').to.deep.equal([]);
    const dead = beyond(Object.keys(model.labels), [...said.labels, ...said.described]);
    expect(dead, 'Czech for no label').to.deep.equal([]);
  });

  it('have a name for every choice, and none that no field offers', () => {
    expect(said.choices.length).to.be.greaterThan(100);
    const { states, intervals, kinds } = words;
    const shared = (field: string, choice: string) =>
      choice in kinds || (field === 'state' && choice in states) || (field === 'interval' && choice in intervals);
    const own = said.choices.filter(([field, choice]) => !shared(field, choice));
    const missing = own.filter(([, , keys]) => !keys.some((key) => key in model.choices)).map(([, , [key]]) => key);
    expect(missing, 'choices without Czech').to.deep.equal([]);
    // A key is alive where a choice takes its name from it, and not from a more exact one.
    const taken = own.map(([, , keys]) => keys.find((key) => key in model.choices) ?? '');
    expect(beyond(Object.keys(model.choices), taken), 'Czech for no choice').to.deep.equal([]);
  });
});
