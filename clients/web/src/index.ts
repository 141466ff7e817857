/**
 * Typed client of the Bura service.
 *
 * `connectBura` gives the service's calls as functions; what they take and give is described in
 * the types below, which are generated from the service's contract. A failed call rejects with
 * `BuraError`.
 */

import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { Client, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

import { AdvisorService } from "./gen/bura/v1/advisor_pb.js";
import { RulesService } from "./gen/bura/v1/rules_pb.js";
import { SolverService } from "./gen/bura/v1/solver_pb.js";
import { TableService } from "./gen/bura/v1/table_pb.js";
import { BadRequestSchema } from "./gen/google/rpc/error_details_pb.js";

export * from "./gen/bura/v1/advisor_pb.js";
export * from "./gen/bura/v1/record_pb.js";
export * from "./gen/bura/v1/rules_pb.js";
export * from "./gen/bura/v1/search_pb.js";
export * from "./gen/bura/v1/solver_pb.js";
export * from "./gen/bura/v1/table_pb.js";

/** The services of one server. */
export interface Bura {
  /** What a player at the table wants to know. */
  readonly advisor: Client<typeof AdvisorService>;
  /** Rule sets, and whether a hand was played by them. */
  readonly rules: Client<typeof RulesService>;
  /** Exact values of positions with all cards known. */
  readonly solver: Client<typeof SolverService>;
  /** Positions taken apart, moves played, pictures. */
  readonly table: Client<typeof TableService>;
}

export interface Options {
  /** Where the service's browser port is, such as `https://bura.example`. */
  baseUrl: string;
  /** Sent with each call as `Authorization: Bearer ...`. */
  token?: string;
  /** Milliseconds after which a call fails, unless it brings its own; none by default. */
  timeoutMs?: number;
  /** How often a call is made again that nobody answered or that was refused as too many; 2. */
  retries?: number;
  /** Another transport, such as one of @connectrpc/connect-node; baseUrl is then not used. */
  transport?: Transport;
}

/** Connects to a service. Nothing is sent before the first call. */
export function connectBura(options: Options): Bura {
  const { retries = 2 } = options;
  const transport =
    options.transport ??
    createConnectTransport({
      baseUrl: options.baseUrl,
      ...(options.timeoutMs === undefined ? {} : { defaultTimeoutMs: options.timeoutMs }),
      interceptors: [
        (next) => async (request) => {
          if (options.token !== undefined) {
            request.header.set("Authorization", `Bearer ${options.token}`);
          }
          for (let tries = 0; ; tries++) {
            try {
              return await next(request);
            } catch (error) {
              const failure = BuraError.of(error);
              if (request.stream || tries >= retries || !failure.mayTryAgain) throw failure;
              await pause(100 * 4 ** tries, request.signal);
            }
          }
        },
      ],
    });
  return {
    advisor: createClient(AdvisorService, transport),
    rules: createClient(RulesService, transport),
    solver: createClient(SolverService, transport),
    table: createClient(TableService, transport),
  };
}

/** One thing wrong with a request: where, and what. */
export interface InputFault {
  /** The field of the request, then its part, such as `position.talon`. */
  field: string;
  /** What was found there, what is wrong, and what would be right. */
  description: string;
}

/** A call that failed. */
export class BuraError extends ConnectError {
  /** Everything wrong with the request; empty if that was not the reason. */
  readonly faults: readonly InputFault[];

  constructor(message: string, code: Code, metadata?: HeadersInit, faults: InputFault[] = []) {
    super(message, code, metadata);
    this.faults = faults;
  }

  // ConnectError goes by looks, so that every one of them would be taken for a BuraError.
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && "faults" in value;
  }

  /** The failure as a BuraError, whatever it was. */
  static of(error: unknown): BuraError {
    if (error instanceof BuraError) return error;
    const failure = ConnectError.from(error);
    const details = failure.findDetails(BadRequestSchema);
    const faults = details.flatMap((detail) =>
      detail.fieldViolations.map(({ field, description }) => ({ field, description })),
    );
    // fetch says no more than that of a service that is not there.
    const code = failure.cause instanceof TypeError ? Code.Unavailable : failure.code;
    const made = new BuraError(failure.rawMessage, code, failure.metadata, faults);
    made.details = failure.details;
    made.cause = failure.cause;
    return made;
  }

  /** Whether nobody answered, or the service had too much to do. */
  get mayTryAgain(): boolean {
    return this.code === Code.Unavailable || this.code === Code.ResourceExhausted;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
