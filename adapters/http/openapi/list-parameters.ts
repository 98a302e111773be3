import { type AnyResource, listParameters, maxPageSize, orderableFields, type ParameterShape } from '@horarium/core';
import { inputSchema } from './field-schema.ts';

/** One end of a range of time. */
export function edgeShape(description: string): ParameterShape {
  return {
    description: `${description}; a time, or a date for the whole day in the service's time zone.`,
    schema: { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] },
    example: '2026-11-21',
  };
}

/** Every parameter of a list: paging, order, period, and equality on each indexed field. */
export function listParameterShapes(resource: AnyResource): Readonly<Record<string, ParameterShape>> {
  const shapes = listParameters(resource).map((name) => [
    name,
    paging(resource, name) ?? period(resource, name) ?? filter(resource, name),
  ]);
  return Object.fromEntries(shapes);
}

function paging(resource: AnyResource, name: string): ParameterShape | undefined {
  const orders = orderableFields(resource).flatMap((field) => [field.name, `-${field.name}`]);
  const known: Readonly<Record<string, ParameterShape>> = {
    limit: {
      description: 'How many at most; all of them in formats that can be streamed.',
      schema: { anyOf: [{ type: 'integer', minimum: 1, maximum: maxPageSize }, { const: 'all' }], default: 100 },
    },
    offset: { description: 'How many to skip.', schema: { type: 'integer', minimum: 0, default: 0 } },
    after: {
      description: 'Where the page before ended; it is part of the link to the next page.',
      schema: { type: 'string' },
    },
    order: { description: 'A minus turns it round.', schema: { type: 'string', enum: orders, default: '-id' } },
  };
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

function period({ period: field }: AnyResource, name: string): ParameterShape | undefined {
  if (field === undefined) return undefined;
  if (name === 'from') return edgeShape(`Only those whose ${field} is then or later`);
  return name === 'to' ? edgeShape(`Only those whose ${field} is then or earlier`) : undefined;
}

function filter(resource: AnyResource, name: string): ParameterShape {
  const column = resource.columns.find((each) => each.name === name);
  if (!column) throw new Error(`The lists of ${resource.name} take ${name}, which is none of its fields.`);
  const { description: _description, default: _default, ...schema } = inputSchema({ ...column, required: true });
  return { description: `Only those whose ${name} is this.`, schema };
}
