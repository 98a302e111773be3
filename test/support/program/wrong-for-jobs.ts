/** A command line, split at spaces, and the culprit that its refusal must name. */
export type Wrong = readonly [line: string, culprit: RegExp];

/** Wrong input for the commands of jobs and of what they report to. */
export const wrongForJobs: Readonly<Record<string, readonly Wrong[]>> = {
  'job:cancel': [
    ['job:cancel 999', /There is no Job 999\./],
    ['job:cancel x', /An id is a positive whole number\./],
    ['job:cancel 1', /Job 1 .*(cancelled|ended|finished)/],
  ],
  'job:change': [
    ['job:change 999 --at now', /There is no Job 999\./],
    ['job:change x --at now', /An id is a positive whole number\./],
    ['job:change 1', /Say what: one of --at, --executor and --env\./],
    ['job:change 1 --at soon', /scheduled_at must be a time/],
    ['job:change 1 --env KEY', /It must look like KEY=VALUE\./],
    ['job:change 1 --executor nativ', /executor must be one of .*, not nativ\. Did you mean native\?/],
    ['job:change 1 --at now', /Job 1 has already ended: it was cancelled\./],
  ],
  'job:artifact': [
    ['job:artifact', /missing required argument 'id'/],
    ['job:artifact x', /An id is a positive whole number\./],
    ['job:artifact 999', /There is no Artifact 999\./],
  ],
  'task:summary': [
    ['task:summary --from soon', /from must be a time/],
    ['task:summary --from 2000-01-01', /The range has \d+ days; the maximum is 366/],
    ['task:summary --template nobody', /There is no run template with the code or name “nobody”/],
    ['task:summary --company nobody', /There is no company with the .* “nobody”/],
  ],
  'runtemplate:ping': [
    ['runtemplate:ping', /missing required argument 'id'/],
    ['runtemplate:ping 999', /There is no RunTemplate 999\./],
    ['runtemplate:ping 1', /RunTemplate 1 has the executor native: only jobs done elsewhere are pinged\./],
  ],
  'job:claim': [
    ['job:claim 999', /There is no Job 999\./],
    ['job:claim 1', /Job 1 has already ended: it was cancelled\./],
  ],
  'job:report': [
    ['job:report 999 --exit-code 0', /There is no Job 999\./],
    ['job:report 1 --exit-code zero', /exit_code must be a number/],
    ['job:report 1 --exit-code 0', /Job 1 has already ended: it was cancelled\./],
  ],
  'job:output': [
    ['job:output 999', /There is no Job 999\./],
    ['job:output 1 --stream stdin', /--stream/],
  ],
};
