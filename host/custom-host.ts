import type { ContainerModule } from 'inversify';
import type { RecordModel } from './model.ts';

/** What a custom host brings of its own. */
export interface CustomHost {
  /** Modules that provide services in place of the stock ones: those of `replaceableServices`. @default none */
  readonly modules?: readonly ContainerModule[] | undefined;
  /** The kinds of records. @default those of Horarium itself */
  readonly model?: RecordModel | undefined;
}
