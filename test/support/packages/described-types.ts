import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyResource, allResources, type FieldDescription } from '@horarium/core';

/** `export type RunTemplateInput = { [K in keyof InputOfResource<typeof described>]: … };` */
const mapped =
  /^export type \w+ = \{\n {4}\[K in (?:Exclude<)?keyof (RowOfTable|InputOfResource)<typeof described>(?:, ([^>\]]+)>)?\]\??: (.+);\n\};$/gm;

/**
 * Writes the fields of rows and inputs out in the declarations of the core, each with the sentence of its description, which
 * editors then show. The types stay those that the compiler derived from the fields.
 * @param folder of the compiled core.
 * @throws Error for the types of a resource that the declarations write in another form.
 */
export function describeTypes(folder: string): void {
  const written = new Set<AnyResource>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    const [, name] = /^export declare const (\w+): Resource<\w+(?:, \w+)?>;$/m.exec(text) ?? [];
    const resource = allResources.find((each) => each.name === name);
    if (!resource) continue;
    const fresh = text.replace(mapped, writeOut);
    if (fresh !== text) written.add(resource);
    writeFileSync(join(folder, file), fresh);

    function writeOut(type: string, of: string, except = '', value: string): string {
      const isRow = of === 'RowOfTable';
      const members = (isRow ? (resource?.columns ?? []) : inputsOf(resource as AnyResource)).filter(
        ({ name }) => !except.includes(`'${name}'`),
      );
      const lines = members.flatMap(({ name, description }) => {
        const typed = value.replaceAll('[K]', `['${name}']`);
        const line = isRow ? `    ${name}: ${typed};` : `    ${name}?: Exclude<${typed}, undefined>;`;
        return description ? [`    /** ${description.replaceAll('*/', '*\\/')} */`, line] : [line];
      });
      return [type.slice(0, type.indexOf('\n')), ...lines, '};'].join('\n');
    }
  }
  const missing = allResources.filter((resource) => !written.has(resource)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`The declarations of ${missing.join(', ')} are in another form.`);
}

type Member = Pick<FieldDescription, 'name' | 'description'>;

/** What a save of a record takes. */
function inputsOf({ columns }: AnyResource): readonly Member[] {
  const settable = columns.filter(({ hidden, readOnly }) => !hidden && !readOnly);
  const names = settable.flatMap(({ namedBy }) => namedBy ?? []);
  return [{ name: 'id' }, ...settable, ...names.map((name): Member => ({ name }))];
}
