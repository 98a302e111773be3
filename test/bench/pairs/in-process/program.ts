import { type Checkout, loadCheckout } from './checkout-benches.ts';
import { costOfDrainedJobs } from './drained-cost.ts';
import { lastStartsOfBursts } from './last-starts.ts';

/** What is measured inside one process, with the code of a checkout, on an empty store of its own. */
const tasks = { drained: costOfDrainedJobs, burst: lastStartsOfBursts };

export type Task = keyof typeof tasks;
export type TaskResult<T extends Task> = Awaited<ReturnType<(typeof tasks)[T]>>;

export interface TaskRequest {
  readonly task: Task;
  /** The folder of the checkout. */
  readonly root: string;
  readonly database: 'SQLite FULL' | 'PostgreSQL';
}

export type TaskResponse = { readonly result: unknown } | { readonly error: string };

process.once('message', async ({ task, root, database }: TaskRequest) => {
  process.send?.(await respond(task, root, database));
  process.disconnect();
});

async function respond(task: Task, root: string, name: string): Promise<TaskResponse> {
  try {
    const checkout: Checkout = await loadCheckout(root);
    await using database = await checkout.openDatabase(name);
    return { result: await tasks[task](checkout, database) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
