import { buildRegistries, describeFields, type Fields, systemClock, withResourceNames } from '@horarium/core';
import { describeApi } from '../../../adapters/http/openapi/document.ts';
import { inputSchema } from '../../../adapters/http/openapi/record-schemas.ts';
import { readConfig } from '../../../host/config/read-config.ts';
import { httpRoutes } from '../../../host/http/api-description.ts';
import { standardModel } from '../../../host/model.ts';
import { loadConfiguredPlugins } from '../../../host/plugins/built-in.ts';
import { version } from '../../../host/version.ts';
import { sourceRoot } from '../../house/source-files.ts';
import { bodyQuantities, parameterQuantities, type Quantity, quantitiesIn } from './quantities.ts';
import { partLimits } from './written-rows.ts';

/** The quantities that callers of the service choose, as its schemas and routes and those of its plugins describe them. */
export interface ServiceQuantities {
  readonly bodies: readonly Quantity[];
  readonly parameters: readonly Quantity[];
  /** Of executors, event sources and actions, which templates and lists give to them. */
  readonly options: readonly Quantity[];
}

/** Reads the quantities of the service with its built-in plugins and its default settings. */
export async function serviceQuantities(): Promise<ServiceQuantities> {
  const machine = { cores: 1, timezone: 'UTC', terminal: false };
  const { config } = readConfig({ environment: {}, flags: {}, machine });
  const plugins = { serving: false, folder: sourceRoot, clock: systemClock };
  const registries = buildRegistries(await loadConfiguredPlugins(config, plugins));
  const resources = withResourceNames(standardModel.resources);
  // Hidden routes have no place in the document, and take quantities all the same.
  const routes = httpRoutes(resources, config, registries.routes).map((route) => ({ ...route, hidden: false }));
  const document = describeApi({ version, routes, resources, formats: [...registries.formats], publicUrl: null });
  const { executors, eventSourceKinds, actions } = registries;
  return {
    bodies: bodyQuantities(document),
    parameters: parameterQuantities(document, partLimits),
    options: [
      ...[...executors].flatMap(({ name, options }) => optionQuantities(`executor ${name}`, options)),
      ...[...eventSourceKinds].flatMap(({ name, options }) => optionQuantities(`event source ${name}`, options)),
      ...[...actions].flatMap(({ name, options }) => optionQuantities(`action ${name}`, options)),
    ],
  };
}

function optionQuantities(of: string, options: Fields): Quantity[] {
  return describeFields(options).flatMap((column) => quantitiesIn(inputSchema(column), of, column.name));
}
