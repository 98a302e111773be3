import { isDeepStrictEqual } from 'node:util';
import type { RunTemplateRow } from '@horarium/core/plugin';
import type { CrontabLine, TemplateFields } from '../lines/crontab-records.ts';
import { type ActionList, actionsWithMail } from '../lines/mail-of-lines.ts';
import type { FormerCrontabLine } from './line-change.ts';

/** Returns the actions that are to follow a failure of a line, in place of those that there are; null = these. */
export function mailOf({ mailto }: CrontabLine, was?: FormerCrontabLine): ActionList | null {
  if (!was) return actionsWithMail([], mailto, undefined);
  return actionsWithMail(was.template.on_failure, mailto, was.template.environment['MAILTO']);
}

/** Whether the records of a line are as the crontab says, whatever their names are. */
export function isSame(line: CrontabLine, was: FormerCrontabLine): boolean {
  if (!was.app) return false;
  const { app, template } = fieldsFor(line, was);
  return isIn(app, was.app) && isIn(template, was.template);
}

/** Whether a row has these values already. */
export function isIn(fields: object, row: object): boolean {
  const values = new Map(Object.entries(row));
  return Object.entries(fields).every(([name, value]) => isDeepStrictEqual(value, values.get(name)));
}

/** Returns the fields that a line gives to the records that it has: all that it says, with what it does not say as it is there. */
export function fieldsFor(line: CrontabLine, { template, app }: FormerCrontabLine) {
  const { environment, ...ofApp } = line.app;
  const { executor_options: place, ...ofTemplate } = line.template;
  const declared = Object.entries(environment).map(([key, declaration]) => {
    const stored = app?.environment[key];
    return [key, stored?.type === 'text' ? stored : declaration];
  });
  return {
    app: { ...ofApp, environment: Object.fromEntries(declared) },
    template: {
      ...ofTemplate,
      ...(!runsAt(template, place) && { executor_options: { ...template.executor_options, user: null, ...place } }),
    },
  };
}

/** Whether a template runs as the user and in the directory of its line; only programs of this machine are run so. */
function runsAt({ executor, executor_options }: RunTemplateRow, place: TemplateFields['executor_options']): boolean {
  if ((executor ?? 'native') !== 'native') return true;
  const { user = null, directory = null } = executor_options as Readonly<Record<string, unknown>>;
  return user === (place.user ?? null) && directory === place.directory;
}
