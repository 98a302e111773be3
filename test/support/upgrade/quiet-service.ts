import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Answers requests with the code of a checkout, and works on nothing in the background, so that the store stays as it is. */
const [, , root = ''] = process.argv;
const load = (path: string) => import(pathToFileURL(join(root, 'dist/host', path)).href);
const [{ readConfig }, { httpModule }, { openHost }, { serviceIds }] = await Promise.all(
  ['config/read-config.js', 'modules/http-module.js', 'open-host.js', 'service-ids.js'].map(load),
);
const machine = { cores: 2, timezone: 'UTC', terminal: false };
const { config } = readConfig({ environment: process.env, flags: {}, machine });
const host = await openHost(config, { serving: false, modules: [httpModule()] });
console.log(`listening on ${await (await host.get(serviceIds.server)).listen(0, '127.0.0.1')}/api/v1`);
