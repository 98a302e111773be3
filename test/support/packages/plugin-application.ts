import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from '../../house/source-files.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { installedPackages } from './installed-packages.ts';

const run = promisify(execFile);
const examples = join(sourceRoot, 'test/examples/plugins');

/** The names of the example plugins, each of which is a package in a folder of its own. */
export const examplePlugins: readonly string[] = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** The folder of an application with the service, the example plugins as packages, and copies of their folders. */
export interface PluginApplication {
  readonly folder: string;
  /** Runs the command `horarium` in the folder. @throws Error with its output when it fails. */
  horarium(...line: readonly string[]): Promise<string>;
  /** Runs the test of a plugin in its folder, as `npm test` does. @throws Error with its output when it fails. */
  test(plugin: string): Promise<string>;
  /** Starts the service on a new SQLite file in the folder. */
  serve(settings: Readonly<Record<string, string>>): SpawnedProgram;
}

/** The password of the user admin in the services of such applications. */
export const adminPassword = 'correct horse battery';

/** Creates an application that may be written to: its plugins are packed and installed, as from a registry. */
export async function pluginApplication(): Promise<PluginApplication> {
  const { both } = await installedPackages();
  const folder = temporaryFolder('plugins');
  const modules = join(folder, 'node_modules');
  // Copies with hard links: a plugin that the service imports by its name must lie beside the service.
  await run('cp', ['--archive', '--link', join(both, 'node_modules'), modules]);
  cpSync(join(both, 'package.json'), join(folder, 'package.json'));
  const folders = examplePlugins.map((name) => join(examples, name));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, ...folders], { cwd: folder });
  for (const { name, filename } of JSON.parse(packed.stdout) as { name: string; filename: string }[]) {
    mkdirSync(join(modules, name));
    await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', join(modules, name)]);
    cpSync(join(examples, name), join(folder, name), { recursive: true });
  }
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder };
  const program = async (cwd: string, file: string, line: readonly string[]) =>
    (await run(process.execPath, [file, ...line], { cwd, env })).stdout;
  const horarium = join(modules, 'horarium/dist/host/horarium.js');
  return {
    folder,
    horarium: (...line) => program(folder, horarium, line),
    test: (plugin) => program(join(folder, plugin), 'plugin.test.js', []),
    serve(settings) {
      const environment = {
        HORARIUM_DATABASE_URL: `sqlite:${join(folder, 'h.sqlite')}`,
        HORARIUM_ADMIN_PASSWORD: adminPassword,
        ...settings,
      };
      return new SpawnedProgram(['serve', '--port', '0'], { folder, environment }, { program: horarium });
    },
  };
}
