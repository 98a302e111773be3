import { execFile } from 'node:child_process';

/**
 * Runs a tool of the operating system with nothing of this process's environment but its PATH.
 * @param environment further variables.
 * @returns its output.
 * @throws Error if it is missing or fails, with what it says in English.
 */
export function runSystemTool(
  file: string,
  line: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { PATH = '' } = process.env;
  // Tools for root lie in folders that the PATH of `su` may lack.
  const path = `${PATH}:/usr/sbin:/sbin`;
  return new Promise((resolve, reject) => {
    execFile(file, line, { env: { PATH: path, LC_ALL: 'C.UTF-8', ...environment } }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
  });
}
