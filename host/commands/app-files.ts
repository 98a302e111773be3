import {
  App,
  type AppInput,
  HorariumError,
  readAppDefinition,
  StaleRow,
  Topic,
  writeAppDefinition,
} from '@horarium/core';
import type { Command } from 'commander';
import { readIdArgument } from '../cli/arguments.ts';
import { print } from '../cli/output.ts';
import { type NamedText, readFiles } from '../cli/read-files.ts';
import { addStoreCommand, type Cli } from '../cli/session.ts';
import { storeApp } from '../imports/store-apps.ts';

/** `app:import FILE…`: all files or none. */
export function addAppImportCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'app:import')
    .description('Make apps from application definition files, or bring those they made before up to date.')
    .argument('<file...>', 'JSON files, - for the input; all of them are imported, or none');
  command.action(async (names: string[]) => {
    const inputs = readAll(await readFiles(cli.io, names));
    await using session = await cli.open(command);
    const { core, actor } = session;
    const stored = await core.store.transaction(actor, async (tables) => {
      const rows = [];
      for (const { file, app } of inputs) {
        const { row, fate } = await naming(file, () => storeApp(core, actor, tables, app));
        rows.push({ id: row.id, name: row.name, version: row.version, file, result: fate });
      }
      return rows;
    });
    await print(cli.io, command, stored);
  });
}

/** Does what one file asks for; where that is refused, the file is named. */
async function naming<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // One that was changed meanwhile is not refused: the work is begun anew.
    if (!(error instanceof HorariumError) || error instanceof StaleRow || error.code === 'unavailable') throw error;
    throw new HorariumError(error.code, `${file}: ${error.message}\nNothing was imported.`, error.errors);
  }
}

/** Reads every file, so that what is wrong in each of them is said at once. */
function readAll(files: readonly NamedText[]) {
  const wrong: string[] = [];
  const inputs = files.flatMap(({ name, text }) => {
    try {
      return [{ file: name, app: readAppDefinition(text, name).app }];
    } catch (error) {
      if (!(error instanceof HorariumError)) throw error;
      const lines = error.errors.map(({ field, message }) =>
        message.startsWith(field) ? message : `${field}: ${message}`,
      );
      wrong.push(`${name}:`, ...(lines.length > 0 ? lines : [error.message]).map((line) => `  ${line}`));
      return [];
    }
  });
  for (const [index, { file, app }] of inputs.entries()) {
    const other = inputs.findIndex((each) => each.app.uuid === app.uuid);
    if (other < index) wrong.push(`${file}:`, `  defines the same app as ${inputs[other]?.file} (uuid ${app.uuid})`);
  }
  if (wrong.length > 0) throw new HorariumError('invalid', [...wrong, 'Nothing was imported.'].join('\n'));
  return inputs;
}

/** `app:export ID` */
export function addAppExportCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'app:export')
    .description('Write an app as an application definition.')
    .argument('<id>', 'its number', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const app = await core.records(App).get(actor, id);
    const names = await core.store.read(async (tables) => {
      const topics = await tables.of(Topic).find({ where: [['id', 'in', app.topics]] });
      return app.topics.map((each) => topics.find((topic) => topic.id === each)?.name ?? '');
    });
    await cli.io.out(writeAppDefinition({ ...app, topic_names: names } as AppInput));
  });
}
