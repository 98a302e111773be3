import { ValidationError } from 'yup';
import { type FieldError, invalid } from '../errors.ts';
import type { Field } from '../field/field-meta.ts';
import { readJson } from '../field/json-text.ts';
import { isPlainObject } from '../field/value-path.ts';
import { fieldErrors, readField, throwIfInvalid } from '../records/input.ts';
import { App } from './app.ts';
import type { AppInput } from './app-input.ts';
import { appOf } from './definition-reading.ts';
import { type Definition, definitionSchema } from './definition-schema.ts';
import { definitionOf } from './definition-writing.ts';
import { splitWords } from './split-words.ts';

/**
 * Reads an application definition file into what an App can hold.
 * @throws HorariumError `invalid` naming every error: the place where it is no JSON, else the path of each wrong key.
 */
export function readAppDefinition(text: string, file: string): { app: AppInput } {
  const given = readJson(text, file);
  check(given, file);
  const app = appOf(given as unknown as Definition);
  const errors: FieldError[] = [];
  const { topic_names: _names, ...fields } = app;
  for (const [name, value] of Object.entries(fields)) readField(name, App.fields[name] as Field, value, errors);
  throwIfInvalid(file, errors);
  return { app };
}

/**
 * Writes an App as an application definition file. One that was imported comes out as it went in, but for defaults
 * written out and for the values of secret variables, which no channel gives away. What the record holds beyond the
 * format's own keys is written under further keys that `readAppDefinition` understands.
 * @throws HorariumError `invalid` when the format has no way to say what a field holds.
 */
export function writeAppDefinition(app: AppInput): string {
  const definition = definitionOf(app);
  check(definition, `The definition of ${app.name}`);
  return `${JSON.stringify(definition, null, 2)}\n`;
}

function check(given: unknown, what: string): asserts given is Record<string, unknown> {
  if (!isPlainObject(given)) throw invalid(what, [{ field: 'definition', message: 'a definition must be an object' }]);
  const errors: FieldError[] = [];
  try {
    definitionSchema.validateSync(given, { strict: true, abortEarly: false });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    errors.push(...fieldErrors('definition', error));
  }
  for (const key of ['cmdparamsTemplate', 'cmdparams']) errors.push(...unsplittable(given, key));
  throwIfInvalid(what, errors);
}

function unsplittable(given: Record<string, unknown>, key: string): FieldError[] {
  const line = given[key];
  if (typeof line !== 'string') return [];
  try {
    splitWords(line);
    return [];
  } catch (error) {
    return [{ field: key, message: `${key} ${(error as Error).message}` }];
  }
}
