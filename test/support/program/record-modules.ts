import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The variable with the path of the file that the list is written to. */
const variable = 'LOADED_MODULES';

// A program that is started with `--import` and this file lists, when it exits, the URLs of all modules that it has
// loaded, and the names of Node's own.
const urls: string[] = [];
registerHooks({
  load(url, context, next) {
    urls.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  writeFileSync(process.env[variable] as string, JSON.stringify([...urls, ...moduleLoadList]));
});
