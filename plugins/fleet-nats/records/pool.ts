import { byRole, defineResource, placeName, refs, type Tables, text } from '@horarium/core/plugin';

const name = text(63, { unique: true, immutable: true, description: 'Its name, such as gpu: a-z, 0-9 and dashes.' })
  .matches(placeName, ({ path }: { path: string }) => `${path} must be a name such as gpu: a-z, 0-9 and dashes`)
  .required();

/** A name for agents that run the same jobs. */
export const Pool = defineResource({
  name: 'Pool',
  names: { singular: 'pool', plural: 'pools', id: 'poolId' },
  description: 'Agents that run the same jobs, of some companies or of all.',
  example: { name: 'gpu', note: 'The two boxes in Brno.' },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole({ read: 'admin', write: 'admin' }),
  company: null,
  key: ['name'],
  summaryFields: ['id', 'name', 'companies', 'note'],
  fields: {
    name,
    companies: refs('Company', {
      description: 'The companies whose jobs its agents run; empty = those of all. Agents of the pool see no others.',
    }),
    note: text(65_535, { description: 'Remarks for operators.' }),
  },
});

/** How many pools a refusal names. */
const maxNamed = 20;

/** Returns why jobs of a company cannot run in a pool, as a sentence without a full stop; null = they can. */
export async function poolRefusal(tables: Tables, pool: string, company: number): Promise<string | null> {
  const pools = await tables.of(Pool).find({ order: [['name', 'asc']], limit: 1000 });
  const open = pools.filter(({ companies }) => companies.length === 0 || companies.includes(company));
  if (open.some((each) => each.name === pool)) return null;
  const more = open.length > maxNamed ? ' and others' : '';
  const names = open
    .slice(0, maxNamed)
    .map((each) => each.name)
    .join(', ');
  const choice =
    names === ''
      ? 'an admin makes one: horarium pool:save NAME'
      : `the pools of company ${company} are ${names}${more}`;
  const isThere = pools.some((each) => each.name === pool);
  return `${isThere ? `the pool ${pool} is not for jobs of company ${company}` : `there is no pool ${pool}`}; ${choice}`;
}
