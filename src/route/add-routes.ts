/** How a feature's routes reach the application without the feature knowing the server. */
import type { Elysia } from 'elysia';

/** Adds a feature's routes, with their description, to the application. */
export type AddRoutes = (app: Elysia) => void;
