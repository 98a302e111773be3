import { HorariumError, isAdmin, type JsonSchema, type Reply, type Route } from '@horarium/core';
import type { ShownPlugin } from '../plugins/plugin-rows.ts';

/** What a process was started with. */
export interface InstalledParts {
  /** Each setting in one row, without its secrets; null = the host does not describe them. */
  readonly settings: readonly Readonly<Record<string, unknown>>[] | null;
  readonly plugins: () => Promise<readonly ShownPlugin[]>;
}

const text: JsonSchema = { type: 'string' };
const optionalText: JsonSchema = { type: ['string', 'null'] };

/** Builds the routes that list for admins the settings and the plugins of the process that answers. */
export function installationRoutes({ settings, plugins }: InstalledParts): readonly Route[] {
  const pluginsRoute = route('plugins', 'List the plugins that are loaded, and what they bring', {
    properties: { name: text, built_in: { type: 'boolean' }, version: optionalText, brings: { type: 'object' } },
    example: { name: 'executor-native', built_in: true, version: '1.0.0', brings: { executors: ['native'] } },
    rows: plugins,
  });
  if (!settings) return [pluginsRoute];
  const settingsRoute = route('settings', 'List the effective settings and where each comes from, without secrets', {
    properties: { setting: text, value: {}, from: text, variable: text, meaning: optionalText },
    example: {
      setting: 'port',
      value: '8080',
      from: 'default',
      variable: 'HORARIUM_PORT',
      meaning: 'Port to listen on.',
    },
    rows: async () => settings,
  });
  return [settingsRoute, pluginsRoute];
}

interface Rows {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly example: object;
  readonly rows: () => Promise<readonly object[]>;
}

function route(name: 'settings' | 'plugins', summary: string, { properties, example, rows }: Rows): Route {
  const items: JsonSchema = { type: 'object', properties, required: Object.keys(properties) };
  return {
    method: 'GET',
    path: `/${name}.{suffix}`,
    summary,
    hidden: true,
    authentication: 'required',
    shape: {
      operation: `list${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      tag: 'service',
      errors: [403],
      responses: {
        200: { description: 'One row each.', body: { schema: { type: 'array', items }, example: [example] } },
      },
    },
    handle: async ({ actor }): Promise<Reply> => {
      if (!isAdmin(actor))
        throw new HorariumError('denied', `${actor.name} may not read the ${name}: that takes the role admin.`);
      return { value: await rows(), shape: { kind: 'list', name: name.slice(0, -1), plural: name, fields: null } };
    },
  };
}
