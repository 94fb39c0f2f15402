# Carries out the calls that test/client/backends.test.ts gives, a line each, with the file of argument 1.
import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("bellhop", sys.argv[1])
bellhop = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bellhop)


def carry_out(call, place=(), target=None, message=None, key=None, id=None, user=None, **webhook):
    if call == "push":
        return bellhop.Bellhop(*place).push(target, message, key)
    if call == "status":
        return bellhop.Bellhop().status(id)
    if call == "proof":
        return bellhop.user_proof(user)
    if call == "verify":
        return bellhop.verify_webhook(webhook.pop("body").encode(), **webhook)
    return repr(bellhop.Bellhop())


for line in sys.stdin:
    try:
        said = {"is": carry_out(**json.loads(line))}
    except bellhop.BellhopError as error:
        said = {"status": error.status, "code": error.code, "message": str(error)}
    except ValueError as error:
        said = {"message": str(error)}
    print(json.dumps(said), flush=True)
