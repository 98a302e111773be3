import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { getHeapSpaceStatistics } from 'node:v8';

/** What a program had loaded when it exited. */
export interface RecordedStart {
  /** The URLs of its modules, in the order in which they were loaded. */
  readonly modules: readonly string[];
  /** The modules of Node itself, by the names that Node has for them. */
  readonly ofNode: readonly string[];
  /** Whether times were formatted, or a time zone was looked up, by Intl. */
  readonly usedIntl: boolean;
  /** The size of V8's space for young objects, in bytes. */
  readonly youngGeneration: number;
}

/** The variable with the path of the file that it is written to, for a program that is started with `--import` and this file. */
const variable = 'RECORDED_START';

const modules: string[] = [];
registerHooks({
  load(url, context, next) {
    modules.push(url);
    return next(url, context);
  },
});
let usedIntl = false;
Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
  construct(...parts) {
    usedIntl = true;
    return Reflect.construct(...parts);
  },
});
process.on('exit', () => {
  const { moduleLoadList: ofNode } = process as unknown as { readonly moduleLoadList: readonly string[] };
  const youngGeneration =
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
  const recorded: RecordedStart = { modules, ofNode, usedIntl, youngGeneration };
  writeFileSync(process.env[variable] as string, JSON.stringify(recorded));
});
