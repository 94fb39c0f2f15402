# frozen_string_literal: true

# A delivery method for noticed 2, in app/notifiers, beside bellhop.rb of `bellhop backend ruby` in app/models. A notifier says
#
#   deliver_by :bellhop, class: "BellhopDelivery" do |config|
#     config.message = -> { { title: "Your order", msg: "It is on its way." } }
#   end
#
# Tried against a stand-in, not with noticed (2026-11-27).
class BellhopDelivery < Noticed::DeliveryMethod
  required_options :message

  # To the user with the recipient's ID, unless config.target has another target.
  def deliver
    target = evaluate_option(:target) || { users: [recipient.id.to_s] }
    # A job that is tried again has the same ID.
    Bellhop.new.push(target, evaluate_option(:message), key: "noticed-#{job_id}")
  end
end
