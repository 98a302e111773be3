import type { FieldError } from '../errors.ts';
import { memoized } from '../registry/memoized.ts';
import type { ExecutorSchemas, ForbiddenVariables } from '../resource/record-services.ts';

const patternOf = memoized(({ names, ignoresCase }: ForbiddenVariables) => {
  const patterns = names.map((name) => name.replaceAll('*', '.*'));
  return new RegExp(`^(?:${patterns.join('|')})$`, ignoresCase ? 'i' : '');
});

/**
 * Returns why a variable can be neither declared nor set, because by its value a program of one of the executors would load
 * or run code: the end of a sentence; null = it can.
 */
export function variableRefusal(executors: ExecutorSchemas, variable: string): string | null {
  for (const { forbiddenVariables = [] } of executors.values()) {
    const group = forbiddenVariables.find((each) => patternOf(each).test(variable));
    if (group) return `cannot be declared or set: ${group.programs} ${group.effect}`;
  }
  return null;
}

/** Returns an error for each variable of a map that can be neither declared nor set. */
export function variableErrors(executors: ExecutorSchemas, field: string, variables: object): FieldError[] {
  return Object.keys(variables).flatMap((name) => {
    const refusal = variableRefusal(executors, name);
    return refusal === null ? [] : [{ field: `${field}.${name}`, message: `${field}.${name} ${refusal}` }];
  });
}
